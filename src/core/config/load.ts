// Loads a configuration: tables, then what they mean together. It gives every error at once, or the configuration with what is
// odd about it; a configuration with an error changes nothing that runs (SPEC-0030 REQ-1).
import * as E from 'fp-ts/lib/Either.js';
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js';
import type { AdapterTable } from '../adapter/declaration.js';
import type { Fields } from '../kernel/closed.js';
import { byNumber, inTurn, on, sorted } from '../kernel/order.js';
import { type AdapterTables, checkAdapterTable } from './check-adapter.js';
import { checkHarness, warnHarness } from './check-harness.js';
import { checkSecretFile } from './check-paths.js';
import type { Config } from './config.js';
import { type ConfigError, type ConfigWarning, inReadingOrder } from './errors.js';
import { HARNESS_KEYS } from './placement-harness.js';
import { TABLE_KEYS } from './placement-keys.js';
import { errorAt, has, readSection, type Section, type SectionReading, warningAt } from './section.js';
import { cutSections } from './sections.js';
import { type ConfigSource, lineOf } from './source.js';
import { ADAPTER_FIELDS, adapterTable } from './tables/adapter.js';
import { HARNESS_FIELDS, type HarnessDraft, harnessConfig } from './tables/harness.js';
import { EPISODES_FIELDS, MEMORY_FIELDS, memoryConfig } from './tables/memory.js';
import { MODEL_API_FIELDS, modelApiConfig } from './tables/model-api.js';
import { BUDGET_FIELDS, budgetConfig, LEDGER_FIELDS, ledgerConfig, TRACE_FIELDS, traceConfig } from './tables/storage.js';

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
}

/** The first source is the global file; errors are in reading order: file, line, key. */
export const loadConfig = (sources: ReadonlyNonEmptyArray<ConfigSource>): E.Either<ReadonlyNonEmptyArray<ConfigError>, LoadedConfig> => {
  const files = sources.map(({ file }) => file);
  const cut = sources.map(cutSections);
  const sections = sorted(
    cut.flatMap(({ sections: each }) => each),
    inTurn<Section>(
      on(({ source }) => files.indexOf(source.file), byNumber),
      on(({ source, path }) => lineOf(source, path), byNumber),
    ),
  );
  const adapters = readAdapters(sections);
  const harnesses = readHarnesses(sections, adapters.value);
  const settings = readSettings(sections);
  const errors = [...cut.flatMap((each) => each.errors), ...adapters.errors, ...harnesses.errors, ...settings.errors];
  const [first, ...rest] = inReadingOrder(errors, files);
  if (first !== undefined) return E.left([first, ...rest]);
  return E.right({
    config: { file: sources[0].file, harnesses: harnesses.value.map(harnessConfig), adapters: adapters.value, ...settings.value },
    warnings: inReadingOrder([...harnesses.value.flatMap(warnHarness), ...settings.warnings], files),
  });
};

interface Part<A> {
  readonly value: A;
  readonly errors: readonly ConfigError[];
}

const readAdapters = (sections: readonly Section[]): Part<AdapterTables> => {
  const named = sections.filter(({ path }) => path[0] === 'adapter').map((section) => ({ section, name: section.path[1] ?? '' }));
  const readings = named.map(({ section, name }) => {
    const { values, errors } = readSection(section, ADAPTER_FIELDS, TABLE_KEYS['adapter.*'] ?? []);
    const path = values.executable?.includes('/') === true ? section.source.paths.get(values.executable) : undefined;
    return { section, name, errors, table: adapterTable(values, path) };
  });
  const tables = Object.fromEntries(readings.map(({ name, table }): [string, AdapterTable] => [name, table]));
  const errors = readings.flatMap((reading) => [
    ...reading.errors,
    ...checkName(reading.section, reading.name),
    ...(reading.errors.length > 0 ? [] : checkAdapterTable(reading.section, reading.name, tables)),
  ]);
  return { value: tables, errors: [...errors, ...checkRepeats(named)] };
};

const readHarnesses = (sections: readonly Section[], adapters: AdapterTables): Part<readonly HarnessDraft[]> => {
  const drafts = sections.flatMap((section) => (section.place.kind === 'harness' ? [readHarness(section, section.place.name)] : []));
  const errors = drafts.flatMap(({ draft, errors: own }) => [
    ...own,
    ...checkName(draft.section, draft.name),
    ...checkHarness(draft, adapters),
  ]);
  return { value: drafts.map(({ draft }) => draft), errors: [...errors, ...checkRepeats(drafts.map(({ draft }) => draft))] };
};

const readHarness = (section: Section, name: string): { readonly draft: HarnessDraft; readonly errors: readonly ConfigError[] } => {
  const { values, errors } = readSection(section, HARNESS_FIELDS, HARNESS_KEYS);
  return { draft: { section, name, values }, errors: errors.map(withMigrationHint) };
};

/** `agent` is the former name of `harness`. */
const withMigrationHint = (error: ConfigError): ConfigError =>
  error.code === 'unknown_key' && error.key === 'agent' ? { ...error, message: 'name the adapter with "harness"' } : error;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Names become directories and metric labels. */
const checkName = (section: Section, name: string): readonly ConfigError[] =>
  NAME.test(name)
    ? []
    : [errorAt(section, 'invalid_value', undefined, 'this name must be 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter or digit')];

const checkRepeats = (named: readonly { readonly section: Section; readonly name: string }[]): readonly ConfigError[] => {
  const firsts = new Map(named.toReversed().map(({ section, name }) => [name, section]));
  return named.flatMap(({ section, name }) => {
    const other = firsts.get(name);
    if (other === undefined || other === section) return [];
    return [errorAt(section, 'duplicate', undefined, `this name is taken at ${other.source.file}:${lineOf(other.source, other.path)}`)];
  });
};

type Settings = Omit<Config, 'file' | 'harnesses' | 'adapters'>;

const readSettings = (sections: readonly Section[]): Part<Settings> & { readonly warnings: readonly ConfigWarning[] } => {
  const read = <F extends Fields>(table: string, fields: F): SectionReading<F> => {
    const section = sections.find(({ path }) => path.join('.') === table);
    return section === undefined ? { values: {}, errors: [] } : readSection(section, fields, TABLE_KEYS[table] ?? []);
  };
  const memory = read('memory', MEMORY_FIELDS);
  const episodes = read('memory.episodes', EPISODES_FIELDS);
  const modelApi = read('model_api', MODEL_API_FIELDS);
  const ledger = read('ledger', LEDGER_FIELDS);
  const trace = read('trace', TRACE_FIELDS);
  const budget = read('budget', BUDGET_FIELDS);
  const server = read('server', {});
  const api = sections.find(({ path }) => path[0] === 'model_api');
  const envFile = modelApi.values.env_file;
  const model_api = modelApiConfig(modelApi.values, envFile === undefined ? undefined : api?.source.paths.get(envFile));
  return {
    value: {
      memory: memoryConfig(memory.values, episodes.values),
      ...(model_api === undefined ? {} : { model_api }),
      ledger: ledgerConfig(ledger.values),
      trace: traceConfig(trace.values),
      budget: budgetConfig(budget.values),
      server: {},
    },
    errors: [
      ...[memory, episodes, modelApi, ledger, trace, budget, server].flatMap(({ errors }) => errors),
      ...(api === undefined ? [] : checkModelApi(api, envFile)),
    ],
    warnings: [...(api === undefined ? [] : warnModelApi(api)), ...warnLedger(sections)],
  };
};

const checkModelApi = (section: Section, envFile: string | undefined): readonly ConfigError[] => [
  ...checkSecretFile(section, envFile),
  ...(has(section, 'api_key') && !has(section, 'env_file') ? [errorAt(section, 'conflict', 'api_key', 'needs "env_file"')] : []),
];

const warnModelApi = (section: Section): readonly ConfigWarning[] =>
  has(section, 'env_file') && !has(section, 'api_key') ? [warningAt(section, 'env_file', 'has no effect without "api_key"')] : [];

const warnLedger = (sections: readonly Section[]): readonly ConfigWarning[] =>
  sections
    .filter((section) => section.path[0] === 'ledger' && has(section, 'trace_url'))
    .map((section) => warningAt(section, 'trace_url', 'is not written into run records in this version'));
