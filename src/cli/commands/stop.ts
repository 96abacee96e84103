// `harness stop <harness>`: ends its run, or its waiting firing, and answers once the record is closed.
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import type { Session } from '../session.js';

export const runStop = async (session: Session, harness: string): Promise<void> => {
  const { stopped } = await callDaemon(session, ({ control }) => control.stop({ harness }, UNBOUNDED));
  if (session.json) return session.print(JSON.stringify({ stopped }));
  session.print(stopped ? `${harness}: stopped` : `${harness}: nothing was running`);
};
