// What is fixed of a run before its process exists: its opened line, its context, and the switch that ends it.
import type { Config, HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import type { EndCause } from '../../core/run/close.js';
import type { RunKind, Trigger } from '../../core/run/outcome.js';
import type { RunContext, RunFields, RunKey } from '../../core/run/record.js';

/** What a firing brings with it beside its trigger. */
export type Origin = Pick<RunFields, 'window' | 'first_window' | 'windows' | 'override'>;

export interface EndSwitch {
  readonly ended: Promise<EndCause>;
  /** The first call decides. */
  readonly end: (cause: EndCause) => void;
}

export const endSwitch = (): EndSwitch => {
  let end: (cause: EndCause) => void = () => undefined;
  const ended = new Promise<EndCause>((resolve) => {
    end = resolve;
  });
  return { ended, end };
};

export const openedFields = (kind: RunKind, log: string, trigger: Trigger, startedAt: number, origin: Origin = {}): RunFields => ({
  kind,
  trigger,
  started_at: formatInstant(startedAt),
  log,
  ...origin,
});

export const contextOf = ({ memory }: Config, harness: HarnessConfig, key: RunKey, workdir: string, spawnId: string): RunContext => ({
  ...key,
  adapter: harness.harness,
  ...(typeof harness.options.model === 'string' ? { model: harness.options.model } : {}),
  workdir,
  untrusted_inline: harness.untrusted_inline,
  memory_record: harness.memory_record,
  record_trace: harness.record_trace,
  excerpt_chars: memory.excerpt_chars,
  spawn_id: spawnId,
});
