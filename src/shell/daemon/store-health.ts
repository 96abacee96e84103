// When every page of the store was last looked at, and that the daemon stops when one turns out to be damaged.
import { statSync } from 'node:fs';
import { QUICK_CHECK_BYTES } from '../store/open-database.js';
import { checkInBackground } from '../store/store.js';
import { StoreError } from '../store/store-error.js';
import type { World } from './world.js';

export interface StoreHealth {
  /** Undefined while the first look is under way. */
  readonly checkedAt: () => number | undefined;
  /** Looks at every page now. Rejects with StoreError `store_damaged`. */
  readonly check: () => Promise<void>;
}

/** Of a store that was just opened: a small one was looked at before that, a large one is now, behind the start. */
export const watchHealth = (file: string, storeWorker: URL, onDamage: (error: StoreError) => void, world: World): StoreHealth => {
  const isSmall = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= QUICK_CHECK_BYTES;
  let checkedAt = isSmall ? world.now() : undefined;
  const check = async (): Promise<void> => {
    try {
      await checkInBackground(file, storeWorker);
      checkedAt = world.now();
    } catch (error) {
      world.log.error({ event: 'store_check_failed', error: String(error) });
      if (error instanceof StoreError && error.code === 'store_damaged') onDamage(error);
      throw error;
    }
  };
  if (!isSmall) check().catch(() => undefined);
  return { checkedAt: () => checkedAt, check };
};
