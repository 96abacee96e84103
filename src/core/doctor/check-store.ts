// The state directory, its disk, the store in it and its copies, and the ledger that writes there.
import { shellLine } from '../kernel/shell-line.js';
import { formatSize, GIB, MIB } from '../kernel/size.js';
import { DAY, type Instant } from '../kernel/time.js';
import type { DaemonFacts, DoctorFacts, StateFacts, StoreFacts } from './facts.js';
import { type CheckRow, counted, error, info, ok, warn } from './report.js';
import { roughly } from './spans.js';

/** With less, the next run may already go unrecorded. */
export const DISK_SCARCE = 100 * MIB;
/** With less, somebody should look. */
export const DISK_LOW = GIB;
/** A check or a copy that is older says little. */
export const STALE_AFTER = 30 * DAY;

export const checkStore = ({ now, state, store, inside }: DoctorFacts): readonly CheckRow[] => [
  ...checkState(state),
  ...checkDisk(state),
  ...checkFile(store, now),
  ...(inside === undefined ? [] : checkLedger(inside.ledger)),
];

const OTHERS = 0o077;

const checkState = ({ directory, mode, own }: StateFacts): readonly CheckRow[] => {
  if (mode === undefined) return [info('state', `there is no ${directory} yet: the daemon makes it`)];
  if (!own) return [error('state', `${directory} belongs to another user`, shellLine(['ls', '-ld', directory]))];
  return (mode & OTHERS) === 0
    ? [ok('state', directory)]
    : [warn('state', `${directory} is open to other users (${mode.toString(8)})`, shellLine(['chmod', '700', directory]))];
};

const checkDisk = ({ directory, free }: StateFacts): readonly CheckRow[] => {
  if (free === undefined || free >= DISK_LOW) return [];
  const judge = free < DISK_SCARCE ? error : warn;
  return [judge('disk', `${formatSize(free)} left where ${directory} is`, shellLine(['du', '-xsh', directory]))];
};

const checkFile = (store: StoreFacts, now: Instant): readonly CheckRow[] => {
  switch (store.kind) {
    case 'missing':
      return [info('store', `there is no ${store.file} yet: the daemon makes it`)];
    case 'unusable':
      return [error('store', store.why, remedy(store))];
    case 'sound': {
      const { version, bytes, checked_at } = store;
      const checked = checked_at === undefined ? 'not checked yet' : `checked ${roughly(now - checked_at)} ago`;
      return [
        ok('store', `version ${version}, ${formatSize(bytes)}, ${checked}`),
        ...(checked_at !== undefined && now - checked_at > STALE_AFTER
          ? [warn('store', `its pages were last looked at ${roughly(now - checked_at)} ago`, 'harness store status --check')]
          : []),
        ...checkCopies(store, store.runs, now),
      ];
    }
  }
};

/** A newer store needs a newer program; any other trouble is what copies are for. */
const remedy = ({ backups, code }: { readonly code: string } & Pick<StoreFacts, 'backups'>): string => {
  const newest = backups.at(-1);
  if (code === 'store_newer') return 'run the harness that wrote it, or an even newer one';
  return newest === undefined ? 'harness store status --check' : shellLine(['harness', 'store', 'restore', newest.file]);
};

const checkCopies = ({ backups }: StoreFacts, runs: number, now: Instant): readonly CheckRow[] => {
  const last = backups.findLast(({ by_hand }) => by_hand);
  if (runs === 0 || (last !== undefined && now - last.at <= STALE_AFTER)) return [];
  const said = last === undefined ? 'no copy was made by hand' : `the last copy by hand is ${roughly(now - last.at)} old`;
  return [info('backup', said, 'harness store backup')];
};

const checkLedger = ({ queued, errors, cut }: DaemonFacts['ledger']): readonly CheckRow[] => [
  ...(queued === 0 ? [] : [warn('ledger', `${counted(queued, 'line')} could not be written yet`, 'harness status')]),
  ...(errors === 0 ? [] : [warn('ledger', `${counted(errors, 'write')} failed since the daemon started`, 'harness status')]),
  ...(cut === 0 ? [] : [info('ledger', `${counted(cut, 'string')} cut to what a record may hold`)]),
];
