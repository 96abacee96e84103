// Looks at a run's transcripts every two seconds while it is open, and once more after its process is gone (SPEC-0021 REQ-11).

/** What is looked at. `all` also means what did not seem to change. */
export interface Follower {
  readonly look: (all: boolean) => Promise<void>;
  /** Says what was open; takes nothing after that. */
  readonly finish: () => void;
}

export interface Tail {
  readonly begin: () => void;
  /** The last look, which nobody waits for longer than its bound. False when it did not get to the end. */
  readonly finish: () => Promise<boolean>;
}

const LOOK_EVERY_MS = 2_000;
const LAST_LOOK_MS = 2_000;

export const openTail = (follower: Follower, onFault: (error: unknown) => void): Tail => {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let ended = false;

  const look = (all: boolean): Promise<void> => {
    looking = looking.then(() => follower.look(all)).catch(onFault);
    return looking;
  };
  const again = (): void => {
    void look(false).then(() => {
      if (ended) return;
      timer = setTimeout(again, LOOK_EVERY_MS);
      timer.unref();
    });
  };
  return {
    begin: again,
    finish: async () => {
      ended = true;
      clearTimeout(timer);
      const bound = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), LAST_LOOK_MS).unref());
      const whole = await Promise.race([look(true).then(() => true), bound]);
      try {
        follower.finish();
      } catch (error) {
        onFault(error);
      }
      return whole;
    },
  };
};
