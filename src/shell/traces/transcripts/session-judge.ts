// Tells one run which sessions are its own: by the fleet's windows and, for a session that goes on over a restart, by who had it.
import * as E from 'fp-ts/lib/Either.js';
import type { Refusal, RunWindow } from '../../../core/run/attribution.js';
import type { TranscriptHead } from '../../../core/trace/transcript-head.js';
import type { Log } from '../../daemon/log.js';
import type { Store } from '../../store/operations.js';
import type { FleetWindows } from './fleet-windows.js';

/** `went_on`: an earlier run of the harness began it, so that rows of this run must yet be seen. `wait`: ask again. */
export type Verdict = 'ours' | 'went_on' | 'wait' | 'left';

export interface Judge {
  readonly judge: (head: TranscriptHead) => Promise<Verdict>;
  /** Whether a session of an earlier run, a row of which was written at that time, is this run's now. */
  readonly wentOn: (head: TranscriptHead, at: number) => boolean;
  /** A transcript that is there and cannot be read, or is there no more. */
  readonly unreadable: (path: string) => void;
}

export const judgeFor = (window: RunWindow, windows: FleetWindows, store: Store, log: Log): Judge => {
  const unsure = new Set<string>();
  const { harness, run_id: run } = window;
  const seen = ({ session_id, cwd }: TranscriptHead, at: number) => ({ session_id, store: window.store, cwd, at });

  const refused = (head: TranscriptHead, { reason, harnesses }: Refusal): Verdict => {
    const { session_id: session } = head;
    if (reason === 'claimed') return 'left';
    // A run that streams may announce it in the next moment.
    if (reason === 'ambiguous' && !unsure.has(session)) {
      unsure.add(session);
      return 'wait';
    }
    const first = windows.refused(reason, `${window.store}\n${session}`);
    if (first && reason === 'ambiguous') log.warn({ event: 'session_ambiguous', harness, run, session, harnesses: harnesses.join(', ') });
    return 'left';
  };

  const hadBefore = async (session_id: string): Promise<boolean> => {
    const keeper = windows.keeperOf(window.store, session_id);
    if (keeper !== undefined) return keeper === harness;
    return store.read('hasSession', { harness, session_id }).catch(() => false);
  };

  return {
    judge: async (head) => {
      if (head.cwd !== window.workdir) return 'left';
      const found = windows.attribute(seen(head, head.at));
      if (E.isRight(found)) {
        if (found.right.harness !== harness) return 'left';
        windows.keep(window.store, head.session_id, harness);
        return found.right.run_id === run ? 'ours' : 'went_on';
      }
      if (found.left.reason === 'no_run' && (await hadBefore(head.session_id))) return 'went_on';
      return refused(head, found.left);
    },
    wentOn: (head, at) => {
      const found = windows.attribute(seen(head, at));
      if (E.isRight(found)) return found.right.harness === harness && found.right.run_id === run;
      unsure.add(head.session_id);
      refused(head, found.left);
      return false;
    },
    unreadable: (path) => void windows.refused('unreadable', path),
  };
};
