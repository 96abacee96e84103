// What one run of a one-shot is asked for, and what it works with.
import type { AdapterTable } from '../../core/adapter/declaration.js';
import type { HarnessConfig } from '../../core/config/config.js';
import type { EndCause } from '../../core/run/close.js';
import type { RunKey } from '../../core/run/record.js';
import type { World } from '../daemon/world.js';
import type { Store } from '../store/operations.js';
import type { FleetWindows } from '../traces/transcripts/fleet-windows.js';
import type { Journal } from './journal.js';
import { openRunFile, type RunFile } from './run-log.js';

export interface OneShotRequest {
  readonly key: RunKey;
  readonly harness: HarnessConfig;
  readonly adapters: Readonly<Record<string, AdapterTable>>;
  /** The operator's own verify patterns. */
  readonly verify: readonly string[];
  readonly trigger: string;
  readonly startedAt: number;
  readonly workdir: string;
  readonly jobs: string;
  /** Resolves when somebody ends the run. */
  readonly ended: Promise<EndCause>;
  /** Marks every process of the run. */
  readonly spawnId: string;
  readonly onSpawn: (pid: number) => void;
}

export interface OneShotDeps {
  readonly journal: Journal;
  readonly store: Store;
  readonly world: World;
  readonly stopGraceMs: number;
  /** Every run of the fleet that may write transcripts. */
  readonly windows: FleetWindows;
}

/** A file that fills no more is told once; the run goes on without it. */
export const openFile = ({ jobs, key }: OneShotRequest, { world }: OneShotDeps, kind: 'log' | 'stream.jsonl'): RunFile =>
  openRunFile(jobs, `${key.run_id}.${kind}`, (error) =>
    world.log.warn({ event: 'run_file_failed', harness: key.harness, run: key.run_id, file: kind, error }),
  );
