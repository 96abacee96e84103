// Version numbers as programs print them.

const NUMBER = /\d+\.\d+(?:\.\d+)?/;

/** The first number that looks like one, such as `2.1.4` in `2.1.4 (Claude Code)`. */
export const versionIn = (text: string): string | undefined => NUMBER.exec(text)?.[0];

export const isAtLeast = (version: string, minimum: string): boolean => {
  const [have, need] = [partsOf(version), partsOf(minimum)];
  const differing = need.findIndex((part, index) => part !== (have[index] ?? 0));
  return differing < 0 || (have[differing] ?? 0) > (need[differing] ?? 0);
};

const partsOf = (version: string): readonly number[] => (versionIn(version) ?? '0').split('.').map(Number);
