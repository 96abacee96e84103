// `harness remove <harness>`: forgets a harness of the scratchpad that has ended; its records stay.
import { callDaemon } from '../daemon-call.js';
import type { Session } from '../session.js';

export const runRemove = async (session: Session, harness: string): Promise<void> => {
  await callDaemon(session, ({ control }) => control.remove({ harness }));
  session.print(session.json ? JSON.stringify({ removed: harness }) : `${harness}: removed`);
};
