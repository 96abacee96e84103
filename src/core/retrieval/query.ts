// The one builder of full-text queries: raw text never reaches MATCH, only quoted words joined by OR.

/** Words of a recall query, and of a task's text. */
export const QUERY_WORDS = 64;
export const TASK_WORDS = 256;
const WORD_CHARS_MIN = 2;

const STOP_WORDS = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with`.split(
    ' ',
  ),
);

/** The MATCH expression of a text, or undefined when it has no word to look for. */
export const matchExpression = (text: string, limit: number = QUERY_WORDS): string | undefined => {
  const words = queryWords(text).slice(0, limit);
  return words.length === 0 ? undefined : words.map((word) => `"${word}"`).join(' OR ');
};

/** Distinct lower-case words of at least two characters, in order; stop words only when nothing else remains. */
export const queryWords = (text: string): readonly string[] => {
  const words = [
    ...new Set(
      text
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}_]+/gu) ?? [],
    ),
  ];
  const long = words.filter((word) => [...word].length >= WORD_CHARS_MIN);
  const telling = long.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : long;
};

/** The parts of names and paths, split at `_ - . /` and at camelCase humps, so that `getUserById` is found by "user". */
export const splitWords = (text: string): string => {
  const parts = text
    .split(/[\s_\-./:,]+/)
    .flatMap((word) => word.split(/(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u))
    .filter((word) => word !== '');
  return [...new Set(parts)].join(' ');
};
