// Looks at the paths a configuration names: where they lead, what stands there, whether a file says anything and who can read it.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { PathFact } from '../../core/config/source.js';

const home = (): string => process.env['HOME'] || homedir();

/** `~` and `~/…` lead to the home directory; anything relative starts at the declaring file's directory. */
export const resolvePath = (path: string, directory: string): string => {
  if (path === '~') return home();
  return path.startsWith('~/') ? resolve(home(), path.slice(2)) : resolve(directory, path);
};

export const pathFact = (path: string, directory: string): PathFact => {
  const absolute = resolvePath(path, directory);
  const nothing = { path: absolute, blank: false, secret: false };
  try {
    const stat = statSync(absolute);
    if (stat.isDirectory()) return { ...nothing, kind: 'directory' };
    if (!stat.isFile()) return { ...nothing, kind: 'other' };
    const secret = SECRET_MODES.includes(stat.mode & 0o777) && stat.uid === process.getuid?.();
    return { path: absolute, kind: 'file', blank: isBlank(absolute), secret };
  } catch (error) {
    return { ...nothing, kind: isAbsent(error) ? 'missing' : 'unreadable' };
  }
};

const SECRET_MODES = [0o600, 0o400];
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

const isAbsent = (error: unknown): boolean => ABSENT.includes((error as NodeJS.ErrnoException).code ?? '');

const CHUNK_BYTES = 65_536;

/** Reads until something is not white space, so that a long file costs one chunk. */
const isBlank = (path: string): boolean => {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk))
      if (chunk.toString('latin1', 0, size).trim() !== '') return false;
    return true;
  } finally {
    closeSync(file);
  }
};
