// Loads a configuration: tables, then what they mean together. It gives every error at once, or the configuration with what is
// odd about it; a configuration with an error changes nothing that runs (SPEC-0030 REQ-1).
import * as E from 'fp-ts/lib/Either.js';
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js';
import type { Fields } from '../kernel/closed.js';
import { byNumber, inTurn, on, sorted } from '../kernel/order.js';
import { checkGroups } from './check-groups.js';
import { warnHarness } from './check-harness.js';
import { checkSecretFile } from './check-paths.js';
import type { Config } from './config.js';
import { type ConfigError, type ConfigWarning, inReadingOrder, quoted } from './errors.js';
import { TABLE_KEYS } from './placement-keys.js';
import { type Part, readAdapters, readHarnesses } from './read-harnesses.js';
import { errorAt, has, readSection, type Section, type SectionReading, warningAt } from './section.js';
import { cutSections } from './sections.js';
import { type ConfigSource, lineOf } from './source.js';
import { harnessConfig } from './tables/harness.js';
import { EPISODES_FIELDS, MEMORY_FIELDS, memoryConfig } from './tables/memory.js';
import { MODEL_API_FIELDS, modelApiConfig } from './tables/model-api.js';
import { SERVER_FIELDS, serverConfig } from './tables/server.js';
import { BUDGET_FIELDS, budgetConfig, GROUP_FIELDS, LEDGER_FIELDS, ledgerConfig, TRACE_FIELDS, traceConfig } from './tables/storage.js';

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
  const errors = [
    ...cut.flatMap((each) => each.errors),
    ...adapters.errors,
    ...harnesses.errors,
    ...settings.errors,
    ...checkGroups(harnesses.value, settings.value.budget.groups),
  ];
  const [first, ...rest] = inReadingOrder(errors, files);
  if (first !== undefined) return E.left([first, ...rest]);
  return E.right({
    config: { file: sources[0].file, harnesses: harnesses.value.map(harnessConfig), adapters: adapters.value, ...settings.value },
    warnings: inReadingOrder([...harnesses.value.flatMap(warnHarness), ...settings.warnings], files),
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
  const server = read('server', SERVER_FIELDS);
  const groups = readGroups(sections);
  const directory = server.values.harness_d === undefined ? undefined : sections[0]?.source.paths.get(server.values.harness_d);
  const api = sections.find(({ path }) => path[0] === 'model_api');
  const envFile = modelApi.values.env_file;
  const model_api = modelApiConfig(modelApi.values, envFile === undefined ? undefined : api?.source.paths.get(envFile));
  return {
    value: {
      memory: memoryConfig(memory.values, episodes.values),
      ...(model_api === undefined ? {} : { model_api }),
      ledger: ledgerConfig(ledger.values),
      trace: traceConfig(trace.values),
      budget: budgetConfig(budget.values, groups.value),
      server: serverConfig(server.values, directory),
    },
    errors: [
      ...[memory, episodes, modelApi, ledger, trace, budget, server].flatMap(({ errors }) => errors),
      ...groups.errors,
      ...checkServer(sections),
      ...(api === undefined ? [] : checkModelApi(api, envFile)),
    ],
    warnings: [...(api === undefined ? [] : warnModelApi(api)), ...warnLedger(sections)],
  };
};

/** `[budget.group.<name>]` by name. */
const readGroups = (sections: readonly Section[]): Part<Config['budget']['groups']> => {
  const readings = sections
    .filter(({ path }) => path.length === 3 && path[0] === 'budget' && path[1] === 'group')
    .map((section) => ({ name: section.path[2] ?? '', ...readSection(section, GROUP_FIELDS, TABLE_KEYS['budget.group.*'] ?? []) }));
  return {
    value: Object.fromEntries(readings.map(({ name, values }) => [name, { max_concurrent: values.max_concurrent ?? 1 }])),
    errors: readings.flatMap(({ errors }) => errors),
  };
};

const checkServer = (sections: readonly Section[]): readonly ConfigError[] =>
  sections.flatMap((section) => {
    const named = section.path[0] === 'server' ? section.table['harness_d'] : undefined;
    const fact = typeof named === 'string' ? section.source.paths.get(named) : undefined;
    if (fact === undefined || fact.kind === 'directory') return [];
    const what = fact.kind === 'missing' ? 'does not exist' : fact.kind === 'unreadable' ? 'cannot be read' : 'is no directory';
    return [errorAt(section, 'bad_path', 'harness_d', `names ${quoted(fact.path)}, which ${what}`)];
  });

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
