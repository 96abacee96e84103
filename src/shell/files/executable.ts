// Finds a program the way a shell would, and says why it cannot be executed.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export type FoundExecutable =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  /** It is there, but it is no file that this user may execute. */
  | { readonly kind: 'forbidden'; readonly path: string };

/** A name with a slash is a path from `cwd`; any other is looked up on `path`. */
export const findExecutable = (name: string, path: string, cwd: string): FoundExecutable => {
  const places = name.includes('/') ? [resolve(cwd, name)] : path.split(delimiter).map((directory) => resolve(cwd, join(directory, name)));
  const files = places.filter((place) => statSync(place, { throwIfNoEntry: false })?.isFile() === true);
  const found = files.find(isExecutable);
  if (found !== undefined) return { kind: 'found', path: found };
  return files[0] === undefined ? { kind: 'missing' } : { kind: 'forbidden', path: files[0] };
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
