// Watches one process to its end: reads both streams, ends it on timeout or request (SIGTERM, grace, SIGKILL of the whole
// tree), and after its exit makes sure that nothing it started lives on.
import type { Readable } from 'node:stream';
import type { EndCause, ProcessExit } from '../../core/run/close.js';
import type { Child } from './child.js';
import { type LineSplitter, type StreamLine, splitLines } from './line-stream.js';
import { descendantsOf, type KnownProcess, killSurvivors, signalGroup } from './process-tree.js';
import { type RunFile, redactingWriter } from './run-log.js';

/** How long the streams may stay open after the process and all its descendants are gone. */
const STREAM_LINGER_MS = 2_000;

export interface Supervision {
  readonly spawnId: string;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly ended: Promise<EndCause>;
  readonly log: RunFile;
  /** Told of a line that could not be taken; reading goes on. */
  readonly onFault: (error: unknown) => void;
  /** Takes the lines of standard output; without it they go to the log. */
  readonly onLine?: (line: StreamLine) => Promise<void>;
}

export interface SupervisedEnd {
  readonly exit: ProcessExit;
  readonly cause?: EndCause;
  /** How many processes had to be killed after the run's own process was gone. */
  readonly survivors: number;
}

export const superviseProcess = async (child: Child, supervision: Supervision): Promise<SupervisedEnd> => {
  const write = redactingWriter(supervision.log);
  const toLog = (line: StreamLine): Promise<void> => write(textOf(line));
  const guarded = (take: (line: StreamLine) => Promise<void>) => (line: StreamLine) => take(line).catch(supervision.onFault);
  const streams = [pump(child.stdout, guarded(supervision.onLine ?? toLog)), pump(child.stderr, guarded(toLog))];
  const watch = watchEnd(child, supervision);
  const exit = await child.exited;
  watch.stop();
  const survivors = await killSurvivors(child.pid, watch.descendants(), supervision.spawnId);
  const lingering = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, STREAM_LINGER_MS);
  await Promise.all(streams);
  clearTimeout(lingering);
  const cause = watch.cause();
  return { exit, survivors, ...(cause === undefined ? {} : { cause }) };
};

export interface EndWatch {
  readonly cause: () => EndCause | undefined;
  readonly descendants: () => readonly KnownProcess[];
  readonly stop: () => void;
}

/** The first of timeout and request decides the cause; the descendants are listed before the first signal. */
export const watchEnd = (
  child: { readonly pid: number },
  { timeoutMs, graceMs, ended }: { readonly timeoutMs?: number; readonly graceMs: number; readonly ended: Promise<EndCause> },
): EndWatch => {
  let cause: EndCause | undefined;
  let known: readonly KnownProcess[] = [];
  let stopped = false;
  let grace: NodeJS.Timeout | undefined;

  const begin = async (why: EndCause): Promise<void> => {
    if (stopped || cause !== undefined) return;
    cause = why;
    known = await descendantsOf(child.pid);
    if (stopped) return;
    signalGroup(child.pid, 'SIGTERM');
    grace = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
  };
  const timeout = timeoutMs === undefined ? undefined : setTimeout(() => void begin('timeout'), timeoutMs);
  void ended.then(begin);
  return {
    cause: () => cause,
    descendants: () => known,
    stop: () => {
      stopped = true;
      clearTimeout(timeout);
      clearTimeout(grace);
    },
  };
};

const pump = async (stream: Readable, take: (line: StreamLine) => Promise<void>): Promise<void> => {
  const splitter: LineSplitter = splitLines();
  try {
    for await (const chunk of stream) for (const line of splitter.push(chunk as Buffer)) await take(line);
  } catch {
    // A stream that was destroyed has given all it had.
  }
  for (const line of splitter.end()) await take(line);
};

const textOf = (line: StreamLine): string => {
  if (line.kind === 'too_long') return `harness: a line of ${line.length} bytes was dropped`;
  const text = line.bytes.toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
};
