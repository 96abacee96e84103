// Tells one run which sessions are its own: by the fleet's windows and, for a session that goes on over a restart, by who had it.
import * as E from 'fp-ts/lib/Either.js';
import type { Refusal, RunWindow } from '../../../core/run/attribution.js';
import type { TranscriptHead } from '../../../core/trace/transcript-head.js';
import { cleanLine } from '../../../core/untrusted/clean.js';
import type { Log } from '../../daemon/log.js';
import type { Store } from '../../store/operations.js';
import type { FleetWindows } from './fleet-windows.js';

/** `went_on`: an earlier run of the harness began it, so that rows of this run must yet be seen. `wait`: ask again. */
export type Verdict = 'ours' | 'went_on' | 'wait' | 'left';

/** What a transcript calls its session is a client's word, and is logged as one. */
const ID_BYTES = 256;

export interface Judge {
  readonly judge: (head: TranscriptHead) => Promise<Verdict>;
  /** Whether a session of an earlier run, a row of which was written at that time, is this run's now. */
  readonly wentOn: (head: TranscriptHead, at: number) => boolean;
  /** The run is over: what was to be asked again is told now. */
  readonly settle: () => void;
  /** A transcript that is there and cannot be read, or is there no more. */
  readonly unreadable: (path: string) => void;
}

export const judgeFor = (window: RunWindow, windows: FleetWindows, store: Store, log: Log): Judge =>
  new RunJudge(window, windows, store, log);

/** Its functions are bound, so each may be handed on by itself. */
class RunJudge implements Judge {
  private readonly window: RunWindow;
  private readonly windows: FleetWindows;
  private readonly store: Store;
  private readonly log: Log;
  /** Sessions in doubt, and when they were. */
  private readonly unsure = new Map<string, { readonly head: TranscriptHead; readonly at: number }>();

  constructor(window: RunWindow, windows: FleetWindows, store: Store, log: Log) {
    this.window = window;
    this.windows = windows;
    this.store = store;
    this.log = log;
  }

  readonly judge: Judge['judge'] = async (head) => {
    const { harness, run_id, store, workdir } = this.window;
    if (head.cwd !== workdir) return 'left';
    const found = this.attribute(head, head.at);
    if (E.isRight(found)) {
      if (found.right.harness !== harness) return 'left';
      this.windows.keep(store, head.session_id, harness);
      return found.right.run_id === run_id ? 'ours' : 'went_on';
    }
    if (found.left.reason === 'no_run' && (await this.hadBefore(head.session_id))) return 'went_on';
    return this.refuse(head, found.left);
  };

  readonly wentOn: Judge['wentOn'] = (head, at) => {
    const found = this.attribute(head, at);
    if (E.isRight(found)) return found.right.harness === this.window.harness && found.right.run_id === this.window.run_id;
    this.unsure.set(head.session_id, { head, at });
    this.refuse(head, found.left);
    return false;
  };

  readonly settle: Judge['settle'] = () => {
    for (const { head, at } of this.unsure.values()) {
      const found = this.attribute(head, at);
      if (E.isLeft(found)) this.refuse(head, found.left);
    }
  };

  readonly unreadable: Judge['unreadable'] = (path) => void this.windows.refused('unreadable', path);

  private attribute({ session_id, cwd }: TranscriptHead, at: number): E.Either<Refusal, RunWindow> {
    return this.windows.attribute({ session_id, store: this.window.store, cwd, at });
  }

  private refuse(head: TranscriptHead, { reason, harnesses }: Refusal): Verdict {
    const { session_id: session } = head;
    if (reason === 'claimed') return 'left';
    // A run that streams may announce it in the next moment.
    if (reason === 'ambiguous' && !this.unsure.has(session)) {
      this.unsure.set(session, { head, at: head.at });
      return 'wait';
    }
    const { harness, run_id: run, store } = this.window;
    const first = this.windows.refused(reason, `${store}\n${session}`);
    if (first && reason === 'ambiguous')
      this.log.warn({ event: 'session_ambiguous', harness, run, session: cleanLine(session, ID_BYTES), harnesses: harnesses.join(', ') });
    return 'left';
  }

  private async hadBefore(session_id: string): Promise<boolean> {
    const { harness, store } = this.window;
    const keeper = this.windows.keeperOf(store, session_id);
    if (keeper !== undefined) return keeper === harness;
    return this.store.read('hasSession', { harness, session_id }).catch(() => false);
  }
}
