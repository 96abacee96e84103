// Redacts a decoded JSON value string by string; encoded JSON would lose its quotes to the assignment rule. A string under
// a secret's name is masked whole, for there the name stands outside the string (SPEC-0030 REQ-6).
import { MASK, redact } from './redact.js';
import { redactShown } from './redact-controls.js';

/** Deeper values are masked whole: nobody reads them, and a walk must end. */
export const MAX_JSON_DEPTH = 256;

/** The same value with its strings redacted: same kinds, same lengths, same order of members. Numbers and booleans stay. */
export const redactJson = (value: unknown): unknown => walk(value, false, 0);

const walk = (value: unknown, isSecret: boolean, depth: number): unknown => {
  if (typeof value === 'string') return isSecret ? secretText(value) : redactShown(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_JSON_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((item, i) => walk(item, isSecret || isSecretFlag(value[i - 1], item), depth + 1));
  return redactedMembers(value as Readonly<Record<string, unknown>>, depth + 1);
};

/** Whole, unless it refers to a secret or is masked already. */
const secretText = (value: string): string => (value === '' || value.startsWith('$') || value.startsWith('[') ? redact(value) : MASK);

const SECRET_FLAG = /^--?(?:password|passwd|token|api-key|secret|client-secret)$/i;

/** In an argument list, the flag and its value are two strings. */
const isSecretFlag = (flag: unknown, value: unknown): boolean =>
  typeof flag === 'string' && typeof value === 'string' && SECRET_FLAG.test(flag) && !value.startsWith('-');

const redactedMembers = (object: Readonly<Record<string, unknown>>, depth: number): unknown => {
  const keys = Object.keys(object);
  const taken = new Map(keys.map((key) => [key, 2]));
  return Object.fromEntries(keys.map((key) => [redactedKey(key, taken), walk(object[key], isSecretName(key), depth)]));
};

/** Two keys that are both secrets stay two members: the second is numbered. `taken` holds each name's next number. */
const redactedKey = (key: string, taken: Map<string, number>): string => {
  const redacted = redact(key);
  if (redacted === key) return key;
  let name = redacted;
  let next = taken.get(redacted) ?? 2;
  for (; taken.has(name); next += 1) name = `${redacted} ${next}`;
  taken.set(redacted, next);
  if (name !== redacted) taken.set(name, 2);
  return name;
};

const SECRET_NAME = /(?:token|secret|password|passwd|passphrase|(?:api|access|private|secret)[_ -]?key|authorization)$/i;
const LAST_LETTERS = /[tdeyn]$/i;

const isSecretName = (key: string): boolean => LAST_LETTERS.test(key) && SECRET_NAME.test(key);
