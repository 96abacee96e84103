// The configuration as it stands: every key this version reads, with its value and the line that set it, or its default.
// Prompts and environment values are not shown.
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js';
import { codePointLength } from '../kernel/text.js';
import type { Config, Position } from './config.js';
import { tableName } from './errors.js';
import { HARNESS_KEYS } from './placement-harness.js';
import { TABLE_KEYS } from './placement-keys.js';
import type { Section } from './section.js';
import { cutSections } from './sections.js';
import { type ConfigSource, isTable, positionOf } from './source.js';

export interface ShownValue {
  /** Dotted, such as `harness.triage`. */
  readonly table: string;
  readonly key: string;
  /** As TOML would write it; `-` when there is none. */
  readonly value: string;
  /** Undefined: the default. */
  readonly at?: Position;
}

interface KeyRow {
  readonly key: string;
  readonly built: boolean;
  readonly fallback: string;
}

/** Tables that hold in every configuration; `model_api` only where it is written. */
const ALWAYS = ['memory', 'memory.episodes', 'ledger', 'trace', 'budget', 'server'] as const;

/** Settings first, then adapters and harnesses in configuration order. The sources must have loaded; the first is the global file. */
export const showValues = (sources: ReadonlyNonEmptyArray<ConfigSource>, config: Config): readonly ShownValue[] => {
  const [global] = sources;
  const places = placesOf(sources);
  const shown = (name: string, keys: readonly KeyRow[]): readonly ShownValue[] => {
    const place = places.get(name);
    return place === undefined ? [] : showTable(place.source, place.path, keys);
  };
  const settings = [...ALWAYS, ...(config.model_api === undefined ? [] : ['model_api'])];
  return [
    ...settings.flatMap((table) => showTable(global, table.split('.'), TABLE_KEYS[table] ?? [])),
    ...Object.keys(config.budget.groups).flatMap((name) =>
      showTable(global, ['budget', 'group', name], TABLE_KEYS['budget.group.*'] ?? []),
    ),
    ...Object.keys(config.adapters).flatMap((name) => shown(`adapter ${name}`, TABLE_KEYS['adapter.*'] ?? [])),
    ...config.harnesses.flatMap(({ name }) => shown(`harness ${name}`, HARNESS_KEYS)),
  ];
};

/** Where adapters and harnesses stand; a harness may stand as `[harness.x]` or `[x]`. */
const placesOf = (sources: readonly ConfigSource[]): ReadonlyMap<string, Pick<Section, 'source' | 'path'>> =>
  new Map(
    sources
      .flatMap((source) => cutSections(source).sections)
      .flatMap(({ place, source, path }) => {
        if (place.kind === 'harness') return [[`harness ${place.name}`, { source, path }]];
        return path[0] === 'adapter' ? [[`adapter ${path[1]}`, { source, path }]] : [];
      }),
  );

const showTable = (source: ConfigSource, path: readonly string[], keys: readonly KeyRow[]): readonly ShownValue[] => {
  const table = path.reduce<unknown>(
    (value, part) => (isTable(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    source.tables,
  );
  return keys
    .filter(({ built }) => built)
    .map(({ key, fallback }) => {
      const shown = { table: tableName(path), key };
      if (!isTable(table) || !Object.hasOwn(table, key)) return { ...shown, value: fallback === '' ? '-' : fallback.replaceAll('`', '') };
      return { ...shown, value: showValue(key, table[key]), at: positionOf(source, [...path, key]) };
    });
};

const showValue = (key: string, value: unknown): string => {
  if (key === 'prompt' && typeof value === 'string') return `(${codePointLength(value)} characters)`;
  if (key === 'env' && isTable(value)) return `{ ${Object.keys(value).join(', ')} }`;
  return written(value);
};

const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (isTable(value))
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${tableName([key])} = ${written(each)}`)
      .join(', ')} }`;
  return JSON.stringify(value) ?? '-';
};
