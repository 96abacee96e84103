// What was started is stopped in reverse order; the first failure is kept and the rest is still released.

export interface Releasers {
  readonly add: (name: string, release: () => Promise<void> | void) => void;
  /** Runs every releaser, last added first. Rejects with the first error after all have run. */
  readonly releaseAll: () => Promise<void>;
}

export const collectReleasers = (): Releasers => {
  const releasers: { readonly name: string; readonly release: () => Promise<void> | void }[] = [];
  return {
    add: (name, release) => {
      releasers.push({ name, release });
    },
    releaseAll: async () => {
      let first: Error | undefined;
      for (let entry = releasers.pop(); entry !== undefined; entry = releasers.pop()) {
        try {
          await entry.release();
        } catch (error) {
          first ??= new Error(`releasing ${entry.name} failed: ${String(error)}`);
        }
      }
      if (first !== undefined) throw first;
    },
  };
};
