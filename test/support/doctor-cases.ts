// Everything that a doctor can find, one condition a case, with the row that it makes.
import type { DoctorFacts } from '../../src/core/doctor/facts.js';
import { GIB, MIB } from '../../src/core/kernel/size.js';
import { DAY } from '../../src/core/kernel/time.js';
import * as given from './doctor-facts.js';
import { type Case, MEMORY_CASES } from './doctor-memory-cases.js';

const { HEALTHY, NOW } = given;

const answer = (change: object): DoctorFacts => ({ ...HEALTHY, daemon: { ...given.ANSWER, ...change } });
const service = (change: object): DoctorFacts => ({ ...HEALTHY, service: { ...given.SERVICE, ...change } });
const state = (change: object): DoctorFacts => ({ ...HEALTHY, state: { ...HEALTHY.state, ...change } });
export const store = (change: object): DoctorFacts => ({ ...HEALTHY, store: { ...given.STORE, ...change } as DoctorFacts['store'] });
const without = (key: 'service' | 'inside'): DoctorFacts => {
  const { [key]: _, ...rest } = HEALTHY;
  return rest;
};
const CONFIG = '/home/ada/.config/harness/harness.toml';
const SILENT = { kind: 'silent', why: 'no daemon answers on /run/h.sock' } as const;
const ENV = '/etc/triage.env';
const OLD = { ...given.COPY, at: NOW - 31 * DAY };
const MIGRATION = { file: '/state/backups/harness-20260930T000000000Z-v4.db', at: NOW, by_hand: false };

const HOST: readonly Case[] = [
  [
    'an old node',
    { ...HEALTHY, node: { version: '20.18.3', minimum: '20.19.0' } },
    'error',
    'node',
    '20.18.3 is older than 20.19.0',
    'nvm install 20',
  ],
  [
    'no configuration',
    { ...HEALTHY, config: { kind: 'missing', file: CONFIG } },
    'error',
    'config',
    `there is no ${CONFIG}`,
    'harness init',
  ],
  [
    'a broken configuration',
    { ...HEALTHY, config: { kind: 'invalid', file: CONFIG, errors: [`${CONFIG}:3: one`, 'two', 'three'] } },
    'error',
    'config',
    `${CONFIG}:3: one (and 2 more errors)`,
    'harness config check',
  ],
  [
    'a warning of the configuration',
    { ...HEALTHY, config: { kind: 'loaded', file: CONFIG, harnesses: 3, warnings: [`${CONFIG}:9: odd`] } },
    'warn',
    'config',
    `${CONFIG}:9: odd`,
    'harness config show',
  ],
  ['no daemon', { ...HEALTHY, daemon: SILENT }, 'error', 'daemon', SILENT.why, given.SERVICE.start],
  ['no daemon and no service', { ...without('service'), daemon: SILENT }, 'error', 'daemon', SILENT.why, 'harness service install'],
  ['an older daemon', answer({ version: '0.0.9' }), 'warn', 'daemon', 'it is 0.0.9, this command is 0.1.0', given.SERVICE.restart],
  [
    'an older daemon that nobody keeps',
    { ...without('service'), daemon: { ...given.ANSWER, version: '0.0.9' } },
    'warn',
    'daemon',
    'it is 0.0.9, this command is 0.1.0',
    'kill 4242 && harness daemon',
  ],
  [
    'a refused reload, mended since',
    answer({ config_errors: ['x.toml:1: bad'] }),
    'warn',
    'reload',
    'the last one was refused, the configuration before it is in force: x.toml:1: bad',
    'harness reload',
  ],
  [
    'a refused reload',
    { ...answer({ config_errors: ['bad'] }), config: { kind: 'invalid', file: CONFIG, errors: ['bad'] } },
    'warn',
    'reload',
    'the last one was refused, the configuration before it is in force: bad',
    'harness config check && harness reload',
  ],
  [
    'a project that does not load any more',
    answer({ project_errors: ['api: harness "a": gone', 'more'] }),
    'warn',
    'projects',
    'one that is up does not load any more: api: harness "a": gone',
    'harness status',
  ],
  ['a service that failed', service({ active: 'failed' }), 'warn', 'service', 'systemd says: failed', given.SERVICE.start],
  [
    'a service of before',
    service({ up_to_date: false }),
    'info',
    'service',
    'it would be written otherwise now',
    'harness service install',
  ],
  ['a service without linger', service({ linger: false }), 'warn', 'linger', 'the daemon stops when you log out', 'loginctl enable-linger'],
];

const STORE: readonly Case[] = [
  ['no state yet', state({ mode: undefined }), 'info', 'state', 'there is no /state yet: the daemon makes it'],
  ['an open state', state({ mode: 0o755 }), 'warn', 'state', '/state is open to other users (755)', 'chmod 700 /state'],
  ["somebody else's state", state({ own: false }), 'error', 'state', '/state belongs to another user', 'ls -ld /state'],
  ['little room', state({ free: GIB - 1 }), 'warn', 'disk', '1024.0 MiB left where /state is', 'du -xsh /state'],
  ['hardly any room', state({ free: 100 * MIB - 1 }), 'error', 'disk', '100.0 MiB left where /state is', 'du -xsh /state'],
  ['no store yet', store({ kind: 'missing' }), 'info', 'store', 'there is no /state/harness.db yet: the daemon makes it'],
  [
    'a damaged store',
    store({ kind: 'unusable', code: 'store_damaged', why: 'it is damaged' }),
    'error',
    'store',
    'it is damaged',
    `harness store restore ${given.COPY.file}`,
  ],
  [
    'a damaged store without a copy',
    store({ kind: 'unusable', code: 'store_damaged', why: 'it is damaged', backups: [] }),
    'error',
    'store',
    'it is damaged',
    'harness store status --check',
  ],
  [
    'a newer store',
    store({ kind: 'unusable', code: 'store_newer', why: 'it is at version 9' }),
    'error',
    'store',
    'it is at version 9',
    'run the harness that wrote it, or an even newer one',
  ],
  ['a store not looked at yet', store({ checked_at: undefined }), 'ok', 'store', 'version 5, 1.2 MiB, not checked yet'],
  ['no copy', store({ backups: [] }), 'info', 'backup', 'no copy was made by hand', 'harness store backup'],
  ['copies of migrations only', store({ backups: [MIGRATION] }), 'info', 'backup', 'no copy was made by hand', 'harness store backup'],
  ['an old copy', store({ backups: [OLD, MIGRATION] }), 'info', 'backup', 'the last copy by hand is 31 d old', 'harness store backup'],
  [
    'lines that wait',
    given.inside({ ledger: { queued: 1, errors: 0, cut: 0 } }),
    'warn',
    'ledger',
    '1 line could not be written yet',
    'harness status',
  ],
  [
    'writes that failed',
    given.inside({ ledger: { queued: 0, errors: 3, cut: 0 } }),
    'warn',
    'ledger',
    '3 writes failed since the daemon started',
    'harness status',
  ],
  [
    'strings that were cut',
    given.inside({ ledger: { queued: 0, errors: 0, cut: 2 } }),
    'info',
    'ledger',
    '2 strings cut to what a record may hold',
  ],
];

const NPM = 'npm install -g @anthropic-ai/claude-code@latest';
const CLIENTS: readonly Case[] = [
  [
    'a client that is missing',
    given.client({ found: { kind: 'missing' } }),
    'error',
    'claude-code',
    'the program "claude" was not found',
    NPM,
  ],
  [
    'a client of the operator that is missing',
    given.client({ adapter: 'mine', family: 'other', executable: './mine', found: { kind: 'missing' } }),
    'error',
    'mine',
    'the program "./mine" was not found',
    'command -v ./mine',
  ],
  [
    'a client that may not run',
    given.client({ found: { kind: 'forbidden', path: '/opt/my claude' } }),
    'error',
    'claude-code',
    '/opt/my claude may not be executed',
    "chmod +x '/opt/my claude'",
  ],
  [
    'an old client',
    given.client({ version: { number: '2.0.99' } }),
    'warn',
    'claude-code',
    '2.0.99 is older than 2.1.0, /usr/bin/claude',
    NPM,
  ],
  [
    'a client without a version',
    given.client({ version: { trouble: 'no answer within 5 s' } }),
    'warn',
    'claude-code',
    '/usr/bin/claude does not tell its version: no answer within 5 s',
    '/usr/bin/claude --version',
  ],
  [
    'codex as a script',
    given.client({ adapter: 'codex', family: 'codex', script: true }),
    'warn',
    'codex',
    'it is a script without its native binary beside it: a stop may not reach what it starts',
    'npm install -g @openai/codex@latest --include=optional',
  ],
  [
    'crush',
    given.client({ adapter: 'crush', family: 'crush' }),
    'info',
    'crush',
    'its adapter follows the documentation; it was never run against the program itself',
  ],
];

const HARNESSES: readonly Case[] = [
  [
    'a command whose program is missing',
    given.harness({ program: { name: 'mkae', found: { kind: 'missing' } } }),
    'error',
    'program',
    'triage: the program "mkae" was not found',
    'harness describe triage',
  ],
  [
    'a missing workdir',
    given.harness({ workdir: { path: '/srv/my api', exists: false } }),
    'error',
    'workdir',
    'triage: /srv/my api is no directory',
    "mkdir -p '/srv/my api'",
  ],
  [
    'an env file for everybody',
    given.harness({ env_files: [{ path: ENV, kind: 'shared' }] }),
    'warn',
    'env_file',
    `triage: ${ENV} can be read by others`,
    `chmod 600 ${ENV}`,
  ],
  [
    'a missing env file',
    given.harness({ env_files: [{ path: ENV, kind: 'missing' }] }),
    'warn',
    'env_file',
    `triage: ${ENV} cannot be read, runs start without it`,
    `install -m 600 /dev/null ${ENV}`,
  ],
  [
    'root without a sandbox',
    given.fleet({ as_root: true, harnesses: [{ ...given.HARNESS, refuses_root: true }] }),
    'error',
    'sandbox',
    'triage: claude refuses auto_accept as root, so no run can start',
    `echo IS_SANDBOX=1 >> ${ENV}`,
  ],
  [
    'root without a sandbox or an env file',
    given.fleet({ as_root: true, harnesses: [{ ...given.HARNESS, refuses_root: true, env_files: [] }] }),
    'error',
    'sandbox',
    'triage: claude refuses auto_accept as root, so no run can start',
    'IS_SANDBOX=1 in env_file, or run the daemon as another user',
  ],
  [
    'a prompt that is a command',
    given.harness({ slash_prompt: true }),
    'warn',
    'prompt',
    'triage: it starts with "/", which its client takes as a command of its own',
    'harness describe triage',
  ],
  [
    'untrusted text',
    given.harness({ untrusted_inline: true }),
    'warn',
    'untrusted',
    'triage: untrusted_inline lets text from outside into its prompt',
    'harness describe triage',
  ],
  [
    'a small briefing',
    given.harness({ briefing_max_chars: 1_199 }),
    'info',
    'briefing',
    'triage: briefing_max_chars = 1199 leaves little room beside the frame',
  ],
  ['briefed harnesses', given.harness({ memory_briefing: true }), 'info', 'briefing', 'given to: triage'],
];

const LIVES: readonly Case[] = [
  [
    'a resident given up',
    given.inside({ residents: [{ harness: 'watch', phase: 'failed', failures: 5, holds: [] }] }),
    'error',
    'resident',
    'watch: given up after 5 failures',
    'harness logs watch; harness start watch',
  ],
  [
    'a flapping resident',
    given.inside({ residents: [{ harness: 'watch', phase: 'degraded', failures: 3, holds: [] }] }),
    'warn',
    'resident',
    'watch: it keeps ending and is started again',
    'harness logs watch',
  ],
  [
    'a failing resident',
    given.inside({ residents: [{ harness: 'watch', phase: 'restarting', failures: 1, holds: [] }] }),
    'warn',
    'resident',
    'watch: 1 failure in a row, it is started again',
    'harness logs watch',
  ],
  [
    'missed windows',
    given.inside({ schedules: [{ harness: 'nightly', missed_24h: 2 }] }),
    'warn',
    'schedules',
    'nightly: 2 windows missed in the last 24 h',
    'harness runs nightly --outcome missed',
  ],
];

export const ALL_CASES = [...HOST, ...STORE, ...CLIENTS, ...HARNESSES, ...LIVES, ...MEMORY_CASES];
