// Compiles the contract's schemas. The low-level MCP server and client check nothing by themselves.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { PROVIDER_SCHEMAS, PROVIDER_TOOLS, type ProviderTool } from '../../core/provider/contract.js';

export interface ToolValidators {
  readonly input: (value: unknown) => string | undefined;
  readonly output: (value: unknown) => string | undefined;
}

let compiled: Readonly<Record<ProviderTool, ToolValidators>> | undefined;

/** The validators, compiled once a process. */
export const providerValidators = (): Readonly<Record<ProviderTool, ToolValidators>> => {
  compiled ??= compileSchemas();
  return compiled;
};

/** Each validator answers with what is wrong, or undefined. Not-a-number passes `number`: admission drops that item alone. */
const compileSchemas = (): Readonly<Record<ProviderTool, ToolValidators>> => {
  const ajv = new Ajv2020({ strictNumbers: false, allowUnionTypes: true, allErrors: false });
  const check = (schema: object): ((value: unknown) => string | undefined) => {
    const validate: ValidateFunction = ajv.compile(schema);
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: '' }).trim());
  };
  const entries = PROVIDER_TOOLS.map((tool) => {
    const { input, output } = PROVIDER_SCHEMAS[tool];
    return [tool, { input: check(input as object), output: check(output as object) }] as const;
  });
  return Object.fromEntries(entries) as Record<ProviderTool, ToolValidators>;
};
