// Gathers what a doctor looks at: of the daemon what it knows, of the host what can be seen without one.
import { existsSync, statfsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { renderConfigError, renderConfigWarning } from '../core/config/errors.js';
import { loadConfig } from '../core/config/load.js';
import {
  type ConfigFacts,
  DAEMON_FACTS_FORMAT,
  type DaemonAnswer,
  type DaemonFacts,
  type DoctorFacts,
  type FleetFacts,
  type ServiceFacts,
  type StateFacts,
  type StoreCopy,
  type StoreFacts,
} from '../core/doctor/facts.js';
import { shellLine } from '../core/kernel/shell-line.js';
import { parseInstant } from '../core/kernel/time.js';
import { loadView } from '../shell/config-files/load-view.js';
import { lookAtFleet } from '../shell/host/look-at-fleet.js';
import { listBackups, QUICK_CHECK_BYTES, StoreError } from '../shell/store/offline.js';
import { readStatusOffline } from '../shell/store/read-only.js';
import { callDaemon } from './daemon-call.js';
import { hostManager, isCurrent, ownService, pastedAll, readDefinition } from './own-service.js';
import { CliFailure, type Session } from './session.js';
import { VERSION } from './version.js';

/** As package.json says it. */
const NODE_MINIMUM = '20.19.0';

export const gatherFacts = async (session: Session): Promise<DoctorFacts> => {
  const daemon = await askDaemon(session);
  const inside = daemon.kind === 'answers' ? await askInside(session) : undefined;
  const service = serviceFacts(session);
  const fleet = inside?.fleet ?? (await lookFromHere(session));
  return {
    now: Date.now(),
    version: VERSION,
    node: { version: process.versions.node, minimum: NODE_MINIMUM },
    config: configFacts(session),
    daemon,
    ...(service === undefined ? {} : { service }),
    state: stateFacts(session),
    store: storeFacts(session, daemon, inside),
    ...(fleet === undefined ? {} : { fleet }),
    ...(inside === undefined ? {} : { inside }),
  };
};

const askDaemon = async (session: Session): Promise<DaemonAnswer> => {
  try {
    const info = await callDaemon(session, ({ control }) => control.daemonInfo({}));
    return {
      kind: 'answers',
      version: info.version,
      pid: Number(info.pid),
      started_at: parseInstant(info.startedAt) ?? 0,
      harnesses: info.harnesses,
      active_runs: info.activeRuns,
      config_errors: info.configErrors,
      project_errors: info.projectErrors,
    };
  } catch (error) {
    if (error instanceof CliFailure) return { kind: 'silent', why: error.message };
    throw error;
  }
};

/** A daemon of another version may not know the call, or mean other things by its answer. */
const askInside = async (session: Session): Promise<DaemonFacts | undefined> => {
  try {
    const { factsJson } = await callDaemon(session, ({ operate }) => operate.doctorFacts({}));
    const facts = JSON.parse(factsJson) as DaemonFacts;
    return facts.format === DAEMON_FACTS_FORMAT ? facts : undefined;
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'old_daemon') return undefined;
    throw error;
  }
};

/** Keys whose warnings have rows of their own. */
const OWN_ROWS = ['workdir', 'env_file', 'untrusted_inline'];

const configFacts = ({ configFile: file }: Session): ConfigFacts => {
  const view = loadView(file);
  if (E.isLeft(view)) {
    const isMissing = view.left.some((error) => error.code === 'missing_file' && error.file === file);
    return isMissing ? { kind: 'missing', file } : { kind: 'invalid', file, errors: view.left.map(renderConfigError) };
  }
  const loaded = loadConfig(view.right.sources);
  const warnings = E.isRight(loaded) ? loaded.right.warnings.filter(({ key = '' }) => !OWN_ROWS.includes(key)) : [];
  return { kind: 'loaded', file, harnesses: view.right.config.harnesses.length, warnings: warnings.map(renderConfigWarning) };
};

const lookFromHere = async ({ configFile }: Session): Promise<FleetFacts | undefined> => {
  const view = loadView(configFile);
  if (E.isLeft(view)) return undefined;
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return lookAtFleet(view.right.config, env);
};

const serviceFacts = (session: Session): ServiceFacts | undefined => {
  const manager = hostManager();
  const found = manager === undefined ? undefined : readDefinition(manager.file);
  if (manager === undefined || found?.ours !== true) return undefined;
  const { active, linger } = manager.state();
  return {
    manager: manager.name,
    active,
    up_to_date: isCurrent(found.text, ownService(session)),
    ...(linger === undefined ? {} : { linger }),
    start: pastedAll(manager.restart()),
    restart: pastedAll(manager.restart()),
    ...(manager.outlive === undefined ? {} : { outlive: shellLine(manager.outlive) }),
  };
};

const stateFacts = ({ paths: { state } }: Session): StateFacts => {
  const found = statSync(state, { throwIfNoEntry: false });
  if (found === undefined) return { directory: state, own: true };
  const disk = statfsSync(state);
  return { directory: state, mode: found.mode & 0o777, own: found.uid === process.getuid?.(), free: disk.bavail * disk.bsize };
};

/** A daemon that answers has a sound store; without one the file is looked at here, if that does not take long. */
const storeFacts = ({ paths: { store: file } }: Session, daemon: DaemonAnswer, inside: DaemonFacts | undefined): StoreFacts => {
  const backups = listBackups(file).flatMap(copyOf);
  if (!existsSync(file)) return { file, backups, kind: 'missing' };
  const check = daemon.kind === 'silent' && statSync(file).size <= QUICK_CHECK_BYTES;
  try {
    const { version, bytes, runs } = readStatusOffline(file, check);
    const checkedAt = check ? Date.now() : inside?.store_checked_at;
    return { file, backups, kind: 'sound', version, bytes, runs, ...(checkedAt === undefined ? {} : { checked_at: checkedAt }) };
  } catch (error) {
    const code = error instanceof StoreError ? error.code : 'store_unopenable';
    return { file, backups, kind: 'unusable', code, why: error instanceof Error ? error.message : String(error) };
  }
};

const COPY = /^harness-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\d{3}Z-(\w+)\.db$/;

const copyOf = (file: string): readonly StoreCopy[] => {
  const [, year, month, day, hour, minute, second, kind] = COPY.exec(basename(file)) ?? [];
  const at = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return at === undefined || kind === 'replaced' ? [] : [{ file, at, by_hand: kind === 'manual' }];
};
