// What a tool call was and what it touched, without its arguments and results: a row that is safe to keep (ADR-0033).
import { capCodePoints, toOneLine, utf8Length } from '../kernel/text.js';
import type { Action, Target, Touch, TraceEvent } from '../run/trace-event.js';
import { classifyCommand, patchTargets, unwrappedCommand } from './classify-command.js';
import { listAt, type Row, textAt } from './fields.js';

/** The tool's name or command keeps so many code points in a summary. */
export const SUMMARY_LABEL_CODE_POINTS = 96;
/** A call's further targets are not kept. */
export const TARGETS_PER_CALL = 100;
const PATH_BYTES = 4_096;

/** A call whose result has not been seen. `at` is when it began. */
export interface OpenCall {
  readonly id: string;
  readonly session_id: string;
  readonly tool: string;
  readonly action: Action;
  readonly targets: readonly Target[];
  readonly label: string;
  readonly at: number;
  readonly model?: string;
}

export interface CallSetting {
  /** Absolute, without a trailing slash. */
  readonly cwd?: string;
  readonly verifyExtras: readonly string[];
}

export type CallReading = Pick<OpenCall, 'action' | 'targets' | 'label'>;

const PATH_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

const TOOL_ACTIONS: Readonly<Record<string, 'read' | 'edit' | 'search' | 'shell' | 'patch'>> = {
  read: 'read',
  view: 'read',
  notebookread: 'read',
  view_image: 'read',
  write: 'edit',
  edit: 'edit',
  multiedit: 'edit',
  notebookedit: 'edit',
  grep: 'search',
  glob: 'search',
  ls: 'search',
  find: 'search',
  bash: 'shell',
  shell: 'shell',
  exec_command: 'shell',
  apply_patch: 'patch',
};

const TOUCH_OF = { read: 'read', edit: 'edit', search: 'hit' } as const;

/** Reads a call by its tool's name; tools that are not known, those of other servers included, are `other` and touch nothing. */
export const readCall = (tool: string, input: Row, setting: CallSetting): CallReading => {
  const { cwd } = setting;
  const name = tool.toLowerCase();
  const kind = Object.hasOwn(TOOL_ACTIONS, name) ? TOOL_ACTIONS[name] : undefined;
  if (kind === undefined) return { action: 'other', targets: [], label: shortLabel(tool) };
  if (kind === 'shell') return readCommand(commandOf(input), setting);
  if (kind === 'patch')
    return { action: 'edit', targets: keptTargets(patchTargets(textAt(input, 'input') ?? ''), cwd), label: shortLabel(tool) };
  const touch = TOUCH_OF[kind];
  const paths = PATH_FIELDS.flatMap((field) => textAt(input, field) ?? []);
  return {
    action: kind,
    targets: keptTargets(
      paths.map((path) => ({ path, touch })),
      cwd,
    ),
    label: tool,
  };
};

/** A command line, or the list of its words. */
const commandOf = (input: Row): string =>
  textAt(input, 'command') ??
  textAt(input, 'cmd') ??
  listAt(input, 'command')
    .filter((word) => typeof word === 'string')
    .join(' ');

/** Reads a shell command; the label is what runs inside a wrapping `bash -lc`. */
export const readCommand = (command: string, { cwd, verifyExtras }: CallSetting): CallReading => {
  const label = unwrappedCommand(command);
  const { action, targets } = classifyCommand(label, verifyExtras);
  return { action, targets: keptTargets(targets, cwd), label: shortLabel(label) };
};

/** One entry for each path, its deepest touch; paths below cwd are spelled relative to it. */
export const keptTargets = (targets: readonly Target[], cwd: string | undefined): readonly Target[] => {
  const deepest = new Map<string, Touch>();
  for (const { path: spelled, touch } of targets) {
    const path = relativeTo(cwd, spelled);
    if (path === '' || utf8Length(path) > PATH_BYTES) continue;
    const before = deepest.get(path);
    if (before === undefined && deepest.size === TARGETS_PER_CALL) continue;
    if (before === undefined || DEPTH[touch] > DEPTH[before]) deepest.set(path, touch);
  }
  return [...deepest].map(([path, touch]) => ({ path, touch }));
};

const DEPTH: Readonly<Record<Touch, number>> = { hit: 0, read: 1, edit: 2 };

const relativeTo = (cwd: string | undefined, path: string): string => {
  if (cwd === undefined || !path.startsWith('/')) return path.replace(/^(?:\.\/+)+/, '');
  if (path === cwd) return '.';
  const base = cwd === '/' ? '/' : `${cwd}/`;
  return path.startsWith(base) ? path.slice(base.length) : path;
};

export interface CallEnd {
  readonly is_error: boolean;
  readonly unfinished?: true;
  readonly result_bytes?: number;
}

/** The event of a call that has ended, or of one that never did. */
export const callEvent = (call: OpenCall, { is_error, unfinished, result_bytes }: CallEnd): TraceEvent => ({
  at: call.at,
  kind: 'tool_call',
  tool: call.tool,
  action: call.action,
  targets: call.targets,
  is_error,
  ...(result_bytes === undefined ? {} : { result_bytes }),
  summary: summaryOf(call) + (is_error ? ' error' : '') + (unfinished ? ' unfinished' : ''),
  ...(call.model === undefined ? {} : { model: call.model }),
});

const summaryOf = ({ label, targets }: OpenCall): string => {
  if (targets.length === 0) return label;
  const outside = targets.filter(({ path }) => /^(?:\/|~|\.\.(?:\/|$))/.test(path)).length;
  return `${label} -> ${targets.length - outside} targets, ${outside} outside`;
};

/** A label of one line; the rest of a long command is not looked at. */
export const shortLabel = (label: string): string =>
  capCodePoints(toOneLine(label.slice(0, LABEL_UNITS)).trim(), SUMMARY_LABEL_CODE_POINTS);

const LABEL_UNITS = 1_024;
