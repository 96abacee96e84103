// `harness trigger <harness> [--wait]`: starts a one-shot; with --wait its end decides the exit code.
import { exitCodeOf, SKIPPED_CODE } from '../../core/run/exit-code.js';
import type { RunRecord } from '../../core/run/record.js';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import { renderSpan } from '../render/moment.js';
import type { Session } from '../session.js';

/** Returns the process's exit code. */
export const runTrigger = async (
  session: Session,
  harness: string,
  { wait, overBudget }: { readonly wait: boolean; readonly overBudget: boolean },
): Promise<number> => {
  const fired = await callDaemon(session, ({ control }) => control.trigger({ harness, overBudget }));
  const runId = fired.runId;
  if (!wait || fired.decision === 'skipped') {
    const reply = {
      decision: fired.decision,
      ...(runId === undefined ? {} : { run_id: Number(runId) }),
      ...(fired.reason === '' ? {} : { reason: fired.reason }),
    };
    session.print(session.json ? JSON.stringify(reply) : sentence(harness, reply));
    if (fired.reason === 'budget') session.notice(`the day's budget is spent: harness trigger ${harness} --over-budget`);
    return wait && fired.decision === 'skipped' ? SKIPPED_CODE : 0;
  }
  if (!session.json) session.notice(runId === undefined ? `${harness} waits for its turn` : `run ${runId} of ${harness} started`);
  const { recordJson } = await callDaemon(session, ({ control }) => control.wait({ harness, runId: runId ?? 0n }, UNBOUNDED));
  const record = JSON.parse(recordJson) as RunRecord;
  session.print(
    session.json
      ? recordJson
      : `${runId === undefined ? harness : `run ${runId} of ${harness}`}: ${record.outcome}${reasonOf(record)} after ${renderSpan(record.duration_ms)}`,
  );
  return exitCodeOf(record);
};

const sentence = (harness: string, reply: { decision: string; run_id?: number; reason?: string }): string => {
  const run = reply.run_id === undefined ? '' : ` run ${reply.run_id}`;
  const reason = reply.reason === undefined ? '' : ` (${reply.reason})`;
  return `${harness}: ${reply.decision}${run}${reason}`;
};

const reasonOf = ({ reason }: RunRecord): string => (reason === undefined ? '' : ` (${reason})`);
