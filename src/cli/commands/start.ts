// `harness start|restart <harness>`: a resident's process is there, held, or has failed when this answers; a one-shot fires.
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import { CliFailure, type Session } from '../session.js';

interface Started {
  readonly state: string;
  readonly runId?: bigint;
  readonly pid?: bigint;
  readonly holds: readonly string[];
  readonly reason?: string;
}

export const runStart = async (session: Session, harness: string): Promise<void> =>
  tell(session, harness, await callDaemon(session, ({ control }) => control.start({ harness }, UNBOUNDED)));

export const runRestart = async (session: Session, harness: string): Promise<void> =>
  tell(session, harness, await callDaemon(session, ({ control }) => control.restart({ harness }, UNBOUNDED)));

const FAILING = ['failed', 'restarting'];

const tell = (session: Session, harness: string, { state, runId, pid, holds, reason = '' }: Started): void => {
  const reply = {
    state,
    ...(runId === undefined ? {} : { run_id: Number(runId) }),
    ...(pid === undefined ? {} : { pid: Number(pid) }),
    ...(holds.length === 0 ? {} : { holds }),
    ...(reason === '' ? {} : { reason }),
  };
  if (FAILING.includes(state)) throw new CliFailure('start_failed', `${harness}: ${state}`, `harness logs ${harness}`);
  session.print(session.json ? JSON.stringify(reply) : `${harness}: ${sentence(reply)}`);
};

const HELD: Readonly<Record<string, string>> = { hours: 'outside its operating hours', budget: "its day's budget is spent" };

const sentence = ({
  state,
  run_id,
  pid,
  holds = [],
  reason,
}: {
  state: string;
  run_id?: number;
  pid?: number;
  holds?: readonly string[];
  reason?: string;
}): string => {
  if (holds.length > 0) return `held: ${holds.map((hold) => HELD[hold] ?? hold).join(', ')}; it starts when that ends`;
  const run = run_id === undefined ? '' : `, run ${run_id}`;
  const process = pid === undefined ? '' : `, pid ${pid}`;
  return `${state}${run}${process}${reason === undefined ? '' : ` (${reason})`}`;
};
