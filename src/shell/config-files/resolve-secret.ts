// Finds the value of `${NAME}` in an env file that only its owner can read (ADR-0038). What goes wrong is told without the value.
import { readFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { parseEnvFile } from '../../core/run/environment.js';
import { pathFact } from './path-facts.js';

/** `envFile` is absolute. Left says why there is no value. */
export const resolveSecret = (envFile: string, name: string): E.Either<string, string> => {
  const { kind, secret } = pathFact(envFile, '/');
  if (kind !== 'file') return E.left(`${envFile} is not a readable file`);
  if (!secret) return E.left(`${envFile} must be yours and have mode 0600 or 0400`);
  try {
    const values = parseEnvFile(readFileSync(envFile, 'utf8'));
    const value = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
    return value === '' ? E.left(`${envFile} defines no ${name}, or an empty one`) : E.right(value);
  } catch {
    return E.left(`${envFile} cannot be read`);
  }
};
