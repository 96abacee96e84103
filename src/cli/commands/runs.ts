// `harness runs [harness]`: run records, newest first; with the daemon down they are read from the store.
import { existsSync } from 'node:fs';
import { OUTCOMES } from '../../core/run/outcome.js';
import { type ShownRun, showRun } from '../../core/run/shown-run.js';
import { readRunsOffline } from '../../shell/store/read-only.js';
import { callDaemon, isNoDaemon } from '../daemon-call.js';
import { renderMoment, renderSpan } from '../render/moment.js';
import { renderTable, shorten } from '../render/table.js';
import { CliFailure, type Session } from '../session.js';
import { readSince } from '../since.js';

export interface RunsFlags {
  readonly harness: string;
  readonly since: string | undefined;
  readonly outcome: string;
  readonly limit: number;
  readonly wide: boolean;
}

export const runRuns = async (session: Session, flags: RunsFlags): Promise<void> => {
  const since = readSince(flags.since, Date.now());
  const runs = await online(session, flags, since).catch((error: unknown) => offline(session, flags, since, error));
  if (session.json) return session.print(JSON.stringify({ runs }));
  const rows = runs.map((run) => [
    shorten(run.harness, 20),
    `#${run.run_id}`,
    `${run.outcome ?? '?'}${run.reason === undefined ? '' : `/${run.reason}`}${(run.coalesced ?? 1) > 1 ? ` ×${run.coalesced}` : ''}`,
    renderMoment(run.started_at),
    renderSpan(run.duration_ms),
    ...(flags.wide ? [run.model ?? '-', run.cost_usd === undefined ? '-' : `$${run.cost_usd}`] : []),
  ]);
  const header = ['HARNESS', 'RUN', 'OUTCOME', 'STARTED', 'TOOK', ...(flags.wide ? ['MODEL', 'COST'] : [])];
  session.print(renderTable(header, rows, 'no run is recorded'));
};

const online = async (session: Session, { harness, outcome, limit }: RunsFlags, since: string): Promise<readonly ShownRun[]> => {
  const reply = await callDaemon(session, ({ control }) => control.runs({ harness, since, limit, outcome }));
  return reply.runs.map((row) => JSON.parse(row.recordJson) as ShownRun);
};

const offline = (session: Session, { harness, outcome, limit }: RunsFlags, since: string, error: unknown): readonly ShownRun[] => {
  if (!isNoDaemon(error)) throw error;
  if (outcome !== '' && !OUTCOMES.some((known) => known === outcome))
    throw new CliFailure('invalid_argument', `outcome "${outcome}" is none of: ${OUTCOMES.join(', ')}`);
  try {
    if (!existsSync(session.paths.store)) throw new Error(`there is no store at ${session.paths.store} yet`);
    const given = Object.fromEntries(Object.entries({ harness, since, outcome }).filter(([, value]) => value !== ''));
    const rows = readRunsOffline(session.paths.store, { ...given, limit });
    session.notice('the daemon is down: reading the store');
    return rows.map(({ open, record }) => showRun(record, open ? 'open?' : 'closed', record.log !== undefined && !existsSync(record.log)));
  } catch (failure) {
    const message = `no daemon answers on ${session.paths.socket}, and the store cannot be read: ${(failure as Error).message}`;
    throw new CliFailure('no_daemon', message, 'harness daemon');
  }
};
