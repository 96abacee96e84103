// Every key of a harness and the doors it may come through, by presence, as data (SPEC-0017 REQ-14, SPEC-0030 REQ-16, SPEC-0032
// REQ-3): what would let a repository widen its own rights is refused there whatever its value.

import { formatDuration } from '../kernel/time.js';
import {
  BRIEFING_MAX_CHARS,
  KEEP_RUNS_DEFAULT,
  RESTART_DELAY_BOUNDS,
  RESTART_DELAY_DEFAULT,
  RUN_TIMEOUT_BOUNDS,
  RUN_TIMEOUT_DEFAULT,
} from './limits.js';
import type { Door } from './source.js';

/** `refused`: by presence, `false` and `[]` included. `not_carried`: the wire has no field for it. */
export type KeyDoor = 'yes' | 'refused' | 'only_false' | 'not_carried';

export interface HarnessKey {
  readonly key: string;
  readonly project: KeyDoor;
  readonly wire: KeyDoor;
  readonly built: boolean;
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}

type Doors = readonly [project: KeyDoor, wire: KeyDoor];
const OPEN: Doors = ['yes', 'yes'];
const REFUSED: Doors = ['refused', 'refused'];
const NOT_CARRIED: Doors = ['refused', 'not_carried'];
const ONLY_FALSE: Doors = ['only_false', 'only_false'];

const row = (key: string, [project, wire]: Doors, type: string, fallback: string, meaning: string): HarnessKey => {
  return { key, project, wire, built: true, type, fallback, meaning };
};

const later = (doors: Doors, keys: string): readonly HarnessKey[] =>
  keys.split(' ').map((key) => ({ ...row(key, doors, '', '', ''), built: false }));

const time = (duration: number): string => `\`"${formatDuration(duration)}"\``;

export const HARNESS_KEYS: readonly HarnessKey[] = [
  row('harness', OPEN, 'adapter name or `"command"`', 'required', 'what runs it'),
  row('description', OPEN, 'string', '', 'what it is for'),
  row('prompt', OPEN, 'string', '', 'the prompt, passed on byte for byte; excludes `prompt_file`'),
  row('prompt_file', OPEN, 'path', '', 'a file with the prompt, read again at every start; must exist and not be blank'),
  row('argv', OPEN, 'list of strings', '', '`command` only: program and arguments, run without a shell'),
  row(
    'prompt_delivery',
    OPEN,
    '`"argv"`, `"stdin"` or `"file"`',
    '`"argv"` where argv holds `{{prompt}}`',
    '`command` only: how the prompt reaches it',
  ),
  row('args', OPEN, 'list of strings', '', 'arguments of a resident client; a one-shot has a prompt instead'),
  row('workdir', OPEN, 'path', "the daemon's own directory", 'where it runs'),
  row('env_file', OPEN, 'path or list of paths', '', 'files of `KEY=VALUE` lines, read at every start; later ones win'),
  row('env', REFUSED, 'table of strings', '', 'environment variables, literal; they win over env files'),
  row('secrets_env', REFUSED, 'list of names', 'every variable', 'the only variables taken from the env files'),
  row('model', OPEN, 'string', "the client's own", 'the model'),
  row('auto_accept', OPEN, 'true or false', '`false`', 'let the client act without asking'),
  row('max_turns', OPEN, 'whole number', "the client's own", 'end the run after this many turns'),
  row('quiet', OPEN, 'true or false', '`false`', 'less output'),
  row('system_prompt_file', OPEN, 'path', '', 'a file appended to the system prompt; must exist and not be blank'),
  row('allowed_tools', OPEN, 'list of strings', "the client's own", 'the tools the client may use without asking'),
  row(
    'timeout',
    NOT_CARRIED,
    'duration',
    time(RUN_TIMEOUT_DEFAULT),
    `end the run after this long, at most ${formatDuration(RUN_TIMEOUT_BOUNDS.max)}`,
  ),
  row(
    'on_overlap',
    NOT_CARRIED,
    '`"skip"`, `"queue"` or `"replace"`',
    '`"skip"`',
    'what a firing does while the harness runs: give way, wait for its end (one at a time), or end it',
  ),
  row('keep_runs', NOT_CARRIED, 'whole number', `\`${KEEP_RUNS_DEFAULT}\``, 'how many runs keep their log files'),
  row(
    'schedule',
    NOT_CARRIED,
    'cron pattern, or `@every DURATION`',
    '',
    'when a one-shot fires: `"0 6 * * 1-5"`, `"CRON_TZ=Europe/Oslo 30 3 * * *"`, `"@every 15m"`',
  ),
  row('catch_up', NOT_CARRIED, 'true or false', '`false`', 'make good by one run what the schedule missed while nobody was there'),
  row(
    'restart',
    OPEN,
    '`"always"`, `"unless-stopped"`, `"on-failure"` or `"no"`',
    '`"always"`; of a one-shot `"no"`',
    'when a process that ended is started again; `"no"` makes a `command` without a prompt a one-shot, which takes `"no"` and `"on-failure"` only',
  ),
  row(
    'restart_delay',
    OPEN,
    'duration',
    time(RESTART_DELAY_DEFAULT),
    `wait before the first restart, ${formatDuration(RESTART_DELAY_BOUNDS.min)} to ${formatDuration(RESTART_DELAY_BOUNDS.max)}; it doubles with each failure in a row, and the fifth is the last`,
  ),
  row('enabled', OPEN, 'true or false', '`false`; of a project `true`', 'start a resident with the daemon'),
  row(
    'operating_hours',
    NOT_CARRIED,
    'ranges of days and times',
    '',
    'when a resident may run: `"Mon-Fri 08:00-18:00"`, `"Sat 10:00-14:00, Sun 10:00-12:00 Europe/Oslo"`',
  ),
  row('max_runs_per_day', REFUSED, 'whole number', 'no limit', "how many starts a day may have, by the host's calendar"),
  row('daily_cost_usd', REFUSED, 'number', 'no limit', 'no start when the runs of the day have cost this much'),
  row('quota_group', REFUSED, 'name', '', 'a `[budget.group.<name>]` that this one-shot takes its slots from'),
  row('transcripts', OPEN, '`"claude-code"`, `"codex"` or `"crush"`', '', '`command` only: whose transcripts tell what it did'),
  row('record_trace', OPEN, 'true or false', '`true`', 'store what its sessions did'),
  row('memory_record', OPEN, 'true or false', '`true`', 'make an episode of each finished run'),
  row(
    'memory_briefing',
    REFUSED,
    'true or false',
    '`false`',
    'brief each run on what earlier runs did; in this version a briefing is made on request only',
  ),
  row(
    'briefing_max_chars',
    OPEN,
    'whole number',
    `\`${BRIEFING_MAX_CHARS.default}\``,
    `length of a briefing in characters, ${BRIEFING_MAX_CHARS.min} to ${BRIEFING_MAX_CHARS.max}`,
  ),
  row('untrusted_inline', REFUSED, 'true or false', '`false`', 'let fenced text from outside into the prompt'),
  ...later(OPEN, 'prompt_template prompt_template_file skill_paths use_default_skill_paths mcp_bridge mcp_exclusive'),
  ...later(OPEN, 'mcp_config model_pin source'),
  ...later(NOT_CARRIED, 'triggers hours_shutdown mcp_allow mcp_policy'),
  ...later(REFUSED, 'loadout screen harvest_trajectory max_cost_usd max_tokens'),
  ...later(ONLY_FALSE, 'export_telemetry'),
];

/** Why a harness key may not stand at a door with this value, or undefined. */
export const keyRefusal = (key: string, value: unknown, door: Door): string | undefined => {
  const placement = HARNESS_KEYS.find((each) => each.key === key);
  if (placement === undefined || door === 'global' || door === 'drop_in') return undefined;
  const rule = door === 'project' ? placement.project : placement.wire;
  if (rule === 'only_false') return value === false ? undefined : 'may only be false here';
  return rule === 'yes' ? undefined : "is global-only: set it in the daemon's harness.toml";
};
