// The files of runs as they lie on disk, for commands that work with the daemon down.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of one run go together; the number is the run's id. */
export const RUN_FILE = /^(\d+)\.(log|stream\.jsonl|event\.json|prompt|prompt\.tmp|brief\.md)(\.zst)?$/;

/** The highest run id that a file of the harness still carries; 0 when there is none. */
export const highestRunId = (directory: string): number => Math.max(0, ...runIdsIn(directory));

export const runIdsIn = (directory: string): readonly number[] =>
  namesIn(directory).flatMap((name) => {
    const id = RUN_FILE.exec(name)?.[1];
    return id === undefined ? [] : [Number(id)];
  });

/** One file for all processes of a resident. */
export const RESIDENT_LOG = 'resident.log';

/** The log of a run, its stream, or the log of the resident it was one life of; undefined when there is no such file. */
export const readRunFile = (directory: string, runId: number, stream: boolean): Buffer | undefined => {
  const names = stream ? [`${runId}.stream.jsonl`] : [`${runId}.log`, RESIDENT_LOG];
  for (const name of names) {
    try {
      return readFileSync(join(directory, name));
    } catch {
      // Another name may be there.
    }
  }
  return undefined;
};

export const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};
