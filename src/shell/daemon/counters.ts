// Counts since the daemon started, by the closed words of SPEC-0030 REQ-21. Nothing here carries an id, a query or a text.
import type { DropReason } from '../../core/provider/admit.js';

export interface MemoryCounters {
  readonly episodes: Record<'ok' | 'error' | 'skipped', number>;
  readonly recalls: Record<'ok' | 'degraded' | 'error', number>;
  readonly dropped: Record<DropReason, number>;
}

export const zeroCounters = (): MemoryCounters => ({
  episodes: { ok: 0, error: 0, skipped: 0 },
  recalls: { ok: 0, degraded: 0, error: 0 },
  dropped: { unknown_id: 0, forgotten: 0, scope: 0, invalid: 0 },
});
