// One configuration file as the shell read it: plain values, the line of every table and key, and what it found at each path.
import type { Position } from './config.js';

/** A TOML table as plain values. A date or time, which no key takes, is null. */
export type TomlTable = Readonly<Record<string, unknown>>;

/** Through which file a definition came: each door carries only some tables and keys (SPEC-0030 REQ-1, SPEC-0032 REQ-1). */
export const DOORS = ['global', 'drop_in', 'project', 'project_up', 'scratchpad'] as const;
export type Door = (typeof DOORS)[number];

/** What stands at a path a key names. */
export interface PathFact {
  /** Absolute, `~` expanded, relative parts anchored on the declaring file's directory. */
  readonly path: string;
  readonly kind: 'missing' | 'unreadable' | 'file' | 'directory' | 'other';
  /** The file holds nothing but white space. */
  readonly blank: boolean;
  /** Owned by this user and readable by nobody else (0600 or 0400). */
  readonly secret: boolean;
}

/** What a cron pattern turned out to be. */
export type ScheduleFact = 'fires' | 'never_fires' | 'unknown_zone' | { readonly invalid: string };

export interface ConfigSource {
  /** As the operator named it. */
  readonly file: string;
  readonly door: Door;
  readonly tables: TomlTable;
  /** 1-based lines by pathKey. */
  readonly lines: ReadonlyMap<string, number>;
  /** By the text that stands in the file. */
  readonly paths: ReadonlyMap<string, PathFact>;
  /** Of cron schedules, by the text that stands in the file. */
  readonly schedules: ReadonlyMap<string, ScheduleFact>;
  /** Whether the host knows a time zone, by its name. */
  readonly zones: ReadonlyMap<string, boolean>;
}

export const pathKey = (path: readonly (string | number)[]): string => JSON.stringify(path);

/** The line of a key, else of the table around it; 0 when unknown. */
export const lineOf = (source: ConfigSource, path: readonly string[]): number => {
  const line = source.lines.get(pathKey(path));
  return line !== undefined || path.length === 0 ? (line ?? 0) : lineOf(source, path.slice(0, -1));
};

export const positionOf = (source: ConfigSource, path: readonly string[]): Position => ({ file: source.file, line: lineOf(source, path) });

export const isTable = (value: unknown): value is TomlTable => typeof value === 'object' && value !== null && !Array.isArray(value);
