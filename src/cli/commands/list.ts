// `harness list`: the harnesses, their state and their last run.
import { callDaemon } from '../daemon-call.js';
import { renderMoment } from '../render/moment.js';
import { renderTable, shorten } from '../render/table.js';
import type { Session } from '../session.js';

const GLYPHS: Readonly<Record<string, string>> = {
  stopped: '○',
  starting: '◌',
  running: '●',
  degraded: '◐',
  restarting: '◌',
  stopping: '◌',
  waiting: '◌',
  failed: '✖',
};

export const runList = async (session: Session): Promise<void> => {
  const { harnesses } = await callDaemon(session, ({ control }) => control.list({}));
  const rows = harnesses.map((row) => ({
    name: row.name,
    adapter: row.adapter,
    kind: row.kind,
    state: row.state,
    enabled: row.enabled,
    ...(row.holds.length === 0 ? {} : { holds: row.holds }),
    ...(row.nextAt === '' ? {} : { next_at: row.nextAt }),
    description: row.description,
    workdir: row.workdir,
    ...(row.lastRunId === undefined ? {} : { last_run_id: Number(row.lastRunId), last_outcome: row.lastOutcome, last_at: row.lastAt }),
  }));
  if (session.json) return session.print(JSON.stringify({ harnesses: rows }));
  const cells = rows.map((row) => [
    shorten(row.name, 24),
    shorten(row.adapter, 12),
    `${GLYPHS[row.state] ?? '?'} ${row.holds === undefined ? row.state : `held (${row.holds.join(', ')})`}`,
    row.last_run_id === undefined ? '-' : `#${row.last_run_id} ${row.last_outcome}`,
    row.next_at === undefined ? renderMoment(row.last_at) : `next ${renderMoment(row.next_at)}`,
  ]);
  session.print(
    renderTable(['HARNESS', 'ADAPTER', 'STATE', 'LAST RUN', 'AT'], cells, 'no harness is defined: harness init writes an example'),
  );
};
