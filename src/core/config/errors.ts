// What is wrong with a configuration, as values: every error of a load at once, each naming file, line, table and key.
// A secret or a prompt never occurs in one.
import { byCodePoint, byNumber, inTurn, on, sorted } from '../kernel/order.js';
import { capCodePoints, toOneLine } from '../kernel/text.js';

export type ConfigErrorCode =
  | 'missing_file'
  | 'unreadable_file'
  | 'syntax'
  | 'unknown_table'
  | 'unknown_key'
  | 'misplaced'
  | 'not_supported'
  | 'duplicate'
  | 'missing_key'
  | 'invalid_value'
  | 'conflict'
  | 'no_effect'
  | 'unresolved'
  | 'bad_path';

/** Whose mistake it is; a table's name is its dotted path. */
export type Place =
  | { readonly kind: 'file' }
  | { readonly kind: 'harness'; readonly name: string }
  | { readonly kind: 'table'; readonly name: string };

export interface ConfigFinding {
  readonly file: string;
  /** 1-based; 0 when unknown. */
  readonly line: number;
  readonly place: Place;
  readonly key?: string;
  /** Follows the quoted key when there is one. */
  readonly message: string;
}

export interface ConfigError extends ConfigFinding {
  readonly code: ConfigErrorCode;
}

/** Something that loads but will not do what it seems to say. */
export type ConfigWarning = ConfigFinding;

/** `file:line: harness "x": "key" …`, `file:line: [table]: "key" …`, or `file:line: …`. */
export const renderConfigError = (error: ConfigError): string => {
  const { code, place, key = '', message } = error;
  const hint = message === '' ? '' : `: ${message}`;
  if (code === 'unknown_table') return `${location(error)}: unknown table [${place.kind === 'file' ? '' : place.name}]${hint}`;
  if (code !== 'unknown_key') return renderConfigWarning(error);
  const where = place.kind === 'file' ? '' : ` in [${place.kind === 'harness' ? tableName(['harness', place.name]) : place.name}]`;
  return `${location(error)}: unknown key ${quoted(key)}${where}${hint}`;
};

export const renderConfigWarning = ({ file, line, place, key, message }: ConfigFinding): string => {
  const who = place.kind === 'file' ? '' : place.kind === 'harness' ? `harness ${quoted(place.name)}: ` : `[${place.name}]: `;
  return `${location({ file, line })}: ${who}${key === undefined ? '' : `${quoted(key)} `}${message}`;
};

/** File order, then line, then key, then text, by code point. */
export const inReadingOrder = <A extends ConfigFinding>(findings: readonly A[], files: readonly string[]): readonly A[] =>
  sorted(
    findings,
    inTurn<A>(
      on((finding) => files.indexOf(finding.file), byNumber),
      on((finding) => finding.line, byNumber),
      on((finding) => finding.key ?? '', byCodePoint),
      on((finding) => finding.message, byCodePoint),
    ),
  );

const QUOTED_CHARACTERS = 64;

/** An operator's word inside a message: one line, never long. */
export const quoted = (text: string): string => {
  const line = toOneLine(text);
  const short = capCodePoints(line, QUOTED_CHARACTERS);
  return `"${short}${short === line ? '' : '…'}"`;
};

/** `"a", "b"`. */
export const quotedList = (texts: readonly string[]): string => texts.map(quoted).join(', ');

/** `harness.x`, a part quoted where TOML would quote it. */
export const tableName = (path: readonly string[]): string =>
  path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : quoted(part))).join('.');

const location = ({ file, line }: { readonly file: string; readonly line: number }): string => (line > 0 ? `${file}:${line}` : file);
