// `harness logs <harness> [--run N] [--follow] [--stream]`: the newest run's log, or the redacted stream of its client.
import { highestRunId, readRunFile } from '../../shell/files/run-files.js';
import { jobsDirectory } from '../../shell/files/state-paths.js';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon, isNoDaemon } from '../daemon-call.js';
import { forTerminal } from '../render/terminal.js';
import { CliFailure, type Session } from '../session.js';

export interface LogsFlags {
  readonly run: number;
  readonly follow: boolean;
  readonly stream: boolean;
}

export const runLogs = async (session: Session, harness: string, { run, follow, stream }: LogsFlags): Promise<void> => {
  try {
    await callDaemon(session, async ({ control }) => {
      const show = writerFor(process.stdout);
      for await (const reply of control.logs({ harness, runId: BigInt(run), follow, stream }, UNBOUNDED)) show(reply.chunk);
    });
  } catch (error) {
    if (!isNoDaemon(error)) throw error;
    offline(session, harness, run, stream);
  }
};

/** With the daemon down the files are read as they are. */
const offline = (session: Session, harness: string, run: number, stream: boolean): void => {
  const directory = jobsDirectory(session.paths.jobs, harness);
  const id = run > 0 ? run : highestRunId(directory);
  const text = readRunFile(directory, id, stream);
  if (text === undefined)
    throw new CliFailure('no_log', `"${harness}" has no ${stream ? 'stream' : 'log'} of run ${id} under ${directory}`);
  session.notice('the daemon is down: reading the file');
  writerFor(process.stdout)(text);
};

/** An agent's bytes go to a file or a pipe as they are; a terminal gets none that would steer it. */
const writerFor = (out: NodeJS.WriteStream): ((chunk: Uint8Array) => void) => {
  if (!out.isTTY) return (chunk) => void out.write(chunk);
  const decoder = new TextDecoder();
  return (chunk) => void out.write(forTerminal(decoder.decode(chunk, { stream: true })));
};
