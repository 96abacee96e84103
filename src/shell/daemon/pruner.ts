// Keeps the store in shape: prunes at boot and every hour, batch by batch between facts, and moves the write-ahead log into the
// file in the background.

import type { Config } from '../../core/config/config.js';
import { formatInstant, HOUR } from '../../core/kernel/time.js';
import type { Store } from '../store/operations.js';
import type { World } from './world.js';

const CHECKPOINT_MS = 10_000;

/** Nothing is pruned before it was recorded: `settle` resolves when every closed run has its episode. */
export const startPruner = (
  config: () => Config,
  settle: () => Promise<void>,
  store: Store,
  world: World,
): { readonly close: () => void } => {
  const prune = (): void => {
    settle()
      .then(() => pruneNow(config(), store, world))
      .catch((error: unknown) => world.log.error({ event: 'prune_failed', error: String(error) }));
  };
  const timer = setInterval(prune, HOUR);
  const checkpoint = setInterval(() => void store.write('checkpoint', undefined).catch(() => undefined), CHECKPOINT_MS);
  timer.unref();
  checkpoint.unref();
  prune();
  return {
    close: () => {
      clearInterval(timer);
      clearInterval(checkpoint);
    },
  };
};

/** Prunes until nothing is past its retention. */
export const pruneNow = async ({ ledger, trace }: Config, store: Store, world: World): Promise<void> => {
  const request = {
    ledger_before: formatInstant(world.now() - ledger.retention),
    trace_before: formatInstant(world.now() - trace.retention),
    ledger_max_bytes: ledger.max_bytes,
    trace_max_bytes: trace.max_bytes,
  };
  let lines = 0;
  let sessions = 0;
  for (let more = true; more; ) {
    const batch = await store.write('pruneBatch', request);
    lines += batch.lines;
    sessions += batch.sessions;
    more = batch.more;
  }
  if (lines + sessions === 0) return;
  await store.write('reclaimSpace', undefined);
  world.log.info({ event: 'prune_done', lines, sessions });
};
