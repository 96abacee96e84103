// Renders the argv of a `command` harness: each element stays one argument, and only the prompt or its file is filled in.

export interface CommandValues {
  readonly prompt?: string;
  readonly prompt_file?: string;
}

const PLACEHOLDER = /\{\{[ \t\r\n]*(prompt|prompt_file)(\??)[ \t\r\n]*\}\}/g;

/** Fills `{{prompt}}` and `{{prompt_file}}`; what is filled in is never scanned again. */
export const renderCommand = (argv: readonly string[], values: CommandValues): readonly string[] =>
  argv.map((element, index) =>
    index === 0 ? element : element.replace(PLACEHOLDER, (_all, name: keyof CommandValues) => values[name] ?? ''),
  );

/** Which of the two an argv refers to, for the load's checks. */
export const commandReferences = (argv: readonly string[]): ReadonlySet<string> =>
  new Set(argv.slice(1).flatMap((element) => [...element.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '')));
