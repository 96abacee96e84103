// Reads one configuration file: its text, its tables with their lines, and what stands at the paths it names.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ConfigError, ConfigErrorCode } from '../../core/config/errors.js';
import { namedPaths } from '../../core/config/path-keys.js';
import type { ConfigSource, Door, TomlTable } from '../../core/config/source.js';
import { namedCrons, namedZones } from '../../core/config/time-keys.js';
import { parseToml } from './parse-toml.js';
import { pathFact } from './path-facts.js';
import { isKnownZone, scheduleFact } from './schedule-facts.js';

/** No configuration is longer; a larger file is the wrong file. */
export const CONFIG_BYTES = 4 * 1_024 * 1_024;

/** `file` is kept as given, for messages; what it names is anchored on its directory. */
export const readSource = (file: string, door: Door): E.Either<ConfigError, ConfigSource> => {
  const text = readText(file);
  if (E.isLeft(text)) return text;
  const parsed = parseToml(text.right, file);
  if (E.isLeft(parsed)) return parsed;
  const directory = dirname(resolve(file));
  return E.right({ file, door, ...parsed.right, ...factsOf(parsed.right.tables, directory) });
};

/** What the host says of the paths, schedules and zones that a configuration names. */
export const factsOf = (tables: TomlTable, directory: string): Pick<ConfigSource, 'paths' | 'schedules' | 'zones'> => ({
  paths: new Map(namedPaths(tables).map((path) => [path, pathFact(path, directory)])),
  schedules: new Map([...namedCrons(tables)].map(([text, cron]) => [text, scheduleFact(cron)])),
  zones: new Map(namedZones(tables).map((zone) => [zone, isKnownZone(zone)])),
});

const readText = (file: string): E.Either<ConfigError, string> => {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return refuse(file, 'unreadable_file', 'the configuration is not a regular file');
    if (stat.size > CONFIG_BYTES) return refuse(file, 'unreadable_file', `the configuration is larger than ${CONFIG_BYTES} bytes`);
    return decode(file, readFileSync(file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? refuse(file, 'missing_file', 'there is no configuration here: run `harness init` to write one')
      : refuse(file, 'unreadable_file', `the configuration cannot be read (${code})`);
  }
};

const decode = (file: string, bytes: Buffer): E.Either<ConfigError, string> => {
  try {
    return E.right(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const line = bytes.toString('utf8').split('\ufffd')[0]?.split('\n').length ?? 0;
    return refuse(file, 'syntax', 'not valid TOML: the text is not UTF-8', line);
  }
};

const refuse = (file: string, code: ConfigErrorCode, message: string, line = 0): E.Either<ConfigError, never> =>
  E.left({ code, file, line, place: { kind: 'file' }, message });
