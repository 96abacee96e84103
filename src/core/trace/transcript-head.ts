// What a transcript says of itself before it is anybody's: whose session it is, where that works, since when (SPEC-0006).
import { type Instant, parseInstant } from '../kernel/time.js';
import { countAt, nameAt, type Row, rowAt, textAt } from './fields.js';

/** Families that keep their transcripts as files of rows. */
export type FileFamily = 'claude-code' | 'codex';

export interface TranscriptHead {
  readonly session_id: string;
  /** Of a sub-agent's transcript. */
  readonly parent_session?: string;
  readonly cwd: string;
  readonly at: Instant;
}

export type PartialHead = Partial<TranscriptHead>;

/** Takes one more of the first rows of a transcript; what an earlier row said stands. */
export const addToHead = (family: FileFamily, head: PartialHead, row: Row): PartialHead =>
  family === 'codex' ? { ...codexHead(row), ...head } : { ...claudeHead(row), ...head };

export const isWholeHead = (head: PartialHead): head is TranscriptHead =>
  head.session_id !== undefined && head.cwd !== undefined && head.at !== undefined;

/** When a row says it was written. */
export const rowTime = (row: Row): Instant | undefined => parseInstant(textAt(row, 'timestamp') ?? '');

/** What tells a row from the others of its transcript. */
export const rowName = (row: Row): string | undefined => {
  const ordinal = countAt(row, 'ordinal');
  return nameAt(row, 'uuid') ?? (ordinal === undefined ? undefined : String(ordinal));
};

/** A sub-agent's rows name the session they belong to, and the agent, which is a session of its own. */
const claudeHead = (row: Row): PartialHead => {
  const session = nameAt(row, 'sessionId');
  const agent = nameAt(row, 'agentId');
  return {
    ...present('session_id', agent ?? session),
    ...(agent === undefined ? {} : present('parent_session', session)),
    ...present('cwd', textAt(row, 'cwd')),
    ...present('at', rowTime(row)),
  };
};

/** The first row says it all. A sub-agent's may be followed by those of the threads it stems from. */
const codexHead = (row: Row): PartialHead => {
  if (textAt(row, 'type') !== 'session_meta') return {};
  const meta = rowAt(row, 'payload');
  return {
    ...present('session_id', nameAt(meta, 'id')),
    ...present('parent_session', parentThread(meta)),
    ...present('cwd', textAt(meta, 'cwd')),
    ...present('at', rowTime(meta) ?? rowTime(row)),
  };
};

/** The thread that spawned this one. */
export const parentThread = (meta: Row): string | undefined =>
  nameAt(rowAt(rowAt(rowAt(meta, 'source'), 'subagent'), 'thread_spawn'), 'parent_thread_id');

const present = <K extends keyof TranscriptHead>(key: K, value: TranscriptHead[K] | undefined): PartialHead =>
  value === undefined ? {} : { [key]: value };
