// Command lines that people paste into a shell.

/** The words as one line, each quoted where a shell would read it otherwise. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** `~/…` is left to the shell. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
