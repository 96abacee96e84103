// Watches a resident's process to its end: shows its output to viewers, writes what a terminal would have shown of it to the log,
// ends it on request (SIGTERM, grace, SIGKILL of the whole tree), and makes sure that nothing it started lives on.
import { StringDecoder } from 'node:string_decoder';
import type { EndCause } from '../../core/run/close.js';
import { endTerminalText, readTerminalText, TERMINAL_TEXT_START } from '../../core/untrusted/terminal-text.js';
import { killSurvivors } from './process-tree.js';
import type { TerminalChild } from './pty.js';
import { type RunFile, redactingWriter } from './run-log.js';
import { type SupervisedEnd, watchEnd } from './supervise-process.js';
import type { Terminal } from './terminal.js';

export interface TerminalSupervision {
  readonly spawnId: string;
  readonly graceMs: number;
  readonly ended: Promise<EndCause>;
  readonly log: RunFile;
  readonly terminal: Terminal;
}

export const superviseTerminal = async (child: TerminalChild, supervision: TerminalSupervision): Promise<SupervisedEnd> => {
  const { terminal, spawnId } = supervision;
  const log = writeTerminalLog(child, supervision.log);
  child.onOutput((bytes) => {
    terminal.output(bytes);
    log.take(bytes);
  });
  terminal.connect(child);
  const watch = watchEnd(child, supervision);
  const exit = await child.exited;
  watch.stop();
  terminal.disconnect();
  const survivors = await killSurvivors(child.pid, watch.descendants(), spawnId);
  await log.end();
  const cause = watch.cause();
  return { exit, survivors, ...(cause === undefined ? {} : { cause }) };
};

interface TerminalLog {
  readonly take: (bytes: Buffer) => void;
  readonly end: () => Promise<void>;
}

/** A process that writes faster than the disk takes it waits: its output is never piled up here. */
const writeTerminalLog = (child: TerminalChild, file: RunFile): TerminalLog => {
  const write = redactingWriter(file);
  const decoder = new StringDecoder('utf8');
  let state = TERMINAL_TEXT_START;
  let writing: Promise<void> = Promise.resolve();
  const writeLines = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) if (line.trim() !== '') await write(line.trimEnd());
  };
  return {
    take: (bytes) => {
      const step = readTerminalText(state, decoder.write(bytes));
      state = step.state;
      if (step.lines.length === 0) return;
      child.pause();
      writing = writing.then(() => writeLines(step.lines)).finally(() => child.resume());
    },
    end: async () => {
      await writing;
      await writeLines(endTerminalText(state));
    },
  };
};
