// Everything that is checked of one harness beyond the type of each key.
import { type AdapterTables, checkHarnessAdapter } from './check-adapter.js';
import { checkCommand } from './check-command.js';
import { checkPlaceholders } from './check-doors.js';
import { checkMemoryKeys, warnMemoryKeys } from './check-memory.js';
import { checkOneShot } from './check-one-shot.js';
import { checkHarnessFiles, warnHarnessFiles } from './check-paths.js';
import { checkSchedule } from './check-schedule.js';
import type { ConfigError, ConfigWarning } from './errors.js';
import type { HarnessDraft } from './tables/harness.js';

export const checkHarness = (draft: HarnessDraft, adapters: AdapterTables): readonly ConfigError[] => [
  ...checkPlaceholders(draft.section),
  ...checkHarnessAdapter(draft, adapters),
  ...checkOneShot(draft),
  ...checkSchedule(draft),
  ...checkCommand(draft),
  ...checkHarnessFiles(draft),
  ...checkMemoryKeys(draft),
];

export const warnHarness = (draft: HarnessDraft): readonly ConfigWarning[] => [...warnHarnessFiles(draft), ...warnMemoryKeys(draft)];
