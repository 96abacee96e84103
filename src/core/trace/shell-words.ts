// Splits a shell command into the programs it runs, as far as that can be told without running a shell.

/** One program with its arguments, quotes removed. `writes` when its output goes to a file. */
export interface SimpleCommand {
  readonly words: readonly string[];
  readonly writes: boolean;
}

/** Longer commands are not looked into. */
const COMMAND_UNITS = 16_384;

const SPACE = /[ \t\r]*/y;
const SEPARATOR = /&&|\|\||\|&|[;|&\n]/y;
const REDIRECT = /\d*(?:&>>?|>>?|>\||<)[ \t]*(?:&\d|&-|(?:'[^']*'|"[^"]*"|[^\s'"`;&|<>()])+)/y;
const HARMLESS = /(?:&\d|&-|\/dev\/null)$|^\d*</;
const WORD = /(?:'[^']*'|"(?:[^"\\`$]|\\[\s\S]|\$(?!\())*"|\\[\s\S]|\$(?!\()|[^\s'"\\`$;&|<>()])+/y;
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g;

/** Undefined when the command has parts that only a shell can judge: substitutions, subshells, here-documents, open quotes. */
export const simpleCommands = (command: string): readonly SimpleCommand[] | undefined => {
  if (command.length > COMMAND_UNITS) return undefined;
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let writes = false;
  const end = (): void => {
    if (words.length > 0 || writes) commands.push({ words, writes });
    words = [];
    writes = false;
  };
  for (let at = skip(command, 0); at < command.length; at = skip(command, at)) {
    const redirect = match(REDIRECT, command, at);
    const separator = match(SEPARATOR, command, at);
    const word = match(WORD, command, at);
    if (redirect !== undefined) writes ||= !HARMLESS.test(redirect);
    else if (separator !== undefined) end();
    else if (word !== undefined) words.push(unquoted(word));
    else return undefined;
    at += (redirect ?? separator ?? word ?? '').length;
  }
  end();
  return commands;
};

const skip = (text: string, at: number): number => at + (match(SPACE, text, at) ?? '').length;

const match = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

const unquoted = (word: string): string =>
  word.replace(QUOTED, (_, single: string | undefined, double: string | undefined, escaped: string | undefined) =>
    single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : (escaped ?? ''),
  );
