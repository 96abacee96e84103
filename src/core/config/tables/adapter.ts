// `[adapter.<name>]` (ADR-0039): how a client is called, as data over a built-in. Which names resolve is checked across tables.
import * as E from 'fp-ts/lib/Either.js';
import type { AdapterTable } from '../../adapter/declaration.js';
import { OPTION_NAMES } from '../../adapter/declaration.js';
import type { Closed, Reader } from '../../kernel/closed.js';
import { quotedList } from '../errors.js';
import { argumentsList, text, variables } from '../readers.js';
import { isTable, type PathFact } from '../source.js';

const PROMPT = '{{prompt}}';
const SESSION_ID = '{{session_id}}';
const OPTION = /^\{\{opt\.([a-z_]+)\}\}$/;

/** The prompt stands last, so that nothing after it can be swallowed or read as a flag. */
const template: Reader<readonly string[]> = (value) => {
  const elements = argumentsList(value);
  if (E.isLeft(elements)) return elements;
  if (elements.right.at(-1) !== PROMPT || elements.right.indexOf(PROMPT) !== elements.right.length - 1)
    return E.left(`must hold "${PROMPT}" once, as its last element`);
  return elements.right.every(isTemplateElement)
    ? elements
    : E.left(`may hold placeholders only as whole elements: "${SESSION_ID}" and "{{opt.NAME}}" with one of ${quotedList(OPTION_NAMES)}`);
};

const isTemplateElement = (element: string): boolean =>
  !element.includes('{{') || element === PROMPT || element === SESSION_ID || isOption(OPTION.exec(element)?.[1]);

const isOption = (name: string | undefined): boolean => OPTION_NAMES.some((each) => each === name);

const VALUES: readonly string[] = ['{{value}}', '{{values}}'];

const options: Reader<NonNullable<AdapterTable['options']>> = (value) => {
  if (!isTable(value) || !Object.keys(value).every(isOption)) return E.left(`must be a table with keys of ${quotedList(OPTION_NAMES)}`);
  const wellFormed = Object.values(value).every(
    (parts) =>
      E.isRight(argumentsList(parts)) && (parts as readonly string[]).every((part) => !part.includes('{{') || VALUES.includes(part)),
  );
  return wellFormed
    ? E.right(value as NonNullable<AdapterTable['options']>)
    : E.left('must give each option a list of strings whose placeholders are whole elements "{{value}}" or "{{values}}"');
};

const version: Reader<string> = (value) =>
  typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9}){0,3}$/.test(value) ? E.right(value) : E.left('must be a version such as "2.1.0"');

export const ADAPTER_FIELDS = {
  extends: { read: text },
  executable: { read: text },
  version_argv: { read: argumentsList },
  min_version: { read: version },
  one_shot: { read: template },
  options: { read: options },
  env: { read: variables },
} as const;

/** An executable given as a path is anchored as every path; a bare name is left to PATH. */
export const adapterTable = (values: Closed<typeof ADAPTER_FIELDS>, executable: PathFact | undefined): AdapterTable => ({
  ...values,
  ...(executable === undefined ? {} : { executable: executable.path }),
});
