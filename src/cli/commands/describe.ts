// `harness describe <harness>`: the definition in force, prompts as written, environment by name only.
import { formatDuration } from '../../core/kernel/time.js';
import { callDaemon } from '../daemon-call.js';
import type { Session } from '../session.js';

export const runDescribe = async (session: Session, harness: string): Promise<void> => {
  const reply = await callDaemon(session, ({ control }) => control.describe({ harness }));
  const definition = JSON.parse(reply.definitionJson) as Record<string, unknown>;
  const prompt = definition['prompt'] as { kind: string; text?: string; path?: string } | undefined;
  const shown = {
    ...definition,
    ...(prompt === undefined ? {} : prompt.kind === 'prompt' ? { prompt: prompt.text } : { prompt: undefined, prompt_file: prompt.path }),
    enabled: reply.row?.enabled,
    state: reply.row?.state,
    ...(reply.row === undefined || reply.row.holds.length === 0 ? {} : { holds: reply.row.holds }),
    ...(reply.row === undefined || reply.row.nextAt === '' ? {} : { next_at: reply.row.nextAt }),
    defined_at: reply.definedAt,
    ...(reply.activeRunId === undefined ? {} : { active_run_id: Number(reply.activeRunId) }),
    ...(reply.pid === undefined ? {} : { pid: Number(reply.pid) }),
  };
  if (session.json) return session.print(JSON.stringify(shown));
  const lines = Object.entries(shown).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${show(key, value)}`]));
  session.print(lines.join('\n'));
};

/** Durations are milliseconds for programs, and as they are written for people. */
const DURATIONS = ['timeout', 'restart_delay'];

const show = (key: string, value: unknown): string => {
  if (typeof value === 'number' && DURATIONS.includes(key)) return formatDuration(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};
