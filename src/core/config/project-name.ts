// What a project is called (SPEC-0004): lower case, runs of other characters one hyphen, and no name that means something else.

export const SCRATCHPAD = 'scratch';
const TAKEN = ['', '.', '..', SCRATCHPAD];

/** Undefined for a name that cannot be used. */
export const projectName = (text: string): string | undefined => {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return TAKEN.includes(name) ? undefined : name;
};
