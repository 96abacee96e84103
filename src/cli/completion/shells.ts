// The shells that can be taught.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The word by which a script asks for completions: the words so far follow, the last one perhaps unfinished. */
export const ASK = '__complete';
/** A line of the answer that asks for file names. */
export const FILES = ':files';
