// `harness enable|disable <harness> [--now]`: whether a resident starts with the daemon, until the configuration says otherwise.
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import type { Session } from '../session.js';

export const runEnable = async (session: Session, harness: string, enabled: boolean, now: boolean): Promise<void> => {
  const { state } = await callDaemon(
    session,
    ({ control }): Promise<{ readonly state: string }> =>
      enabled ? control.enable({ harness, now }, UNBOUNDED) : control.disable({ harness, now }, UNBOUNDED),
  );
  if (session.json) return session.print(JSON.stringify({ enabled, state }));
  session.print(`${harness}: ${enabled ? 'starts with the daemon' : 'no longer starts with the daemon'} (${state} now)`);
};
