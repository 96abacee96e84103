// `harness run <harness> [-- ARGS…]`: one harness on the spot, as `scratch/<name>`; on a terminal it is attached to.
import { isAbsolute, resolve } from 'node:path';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import { CliFailure, type Session } from '../session.js';

export interface RunFlags {
  readonly harness: string;
  readonly args: readonly string[];
  readonly name: string;
  readonly workdir: string;
  readonly prompt: string | undefined;
  readonly detach: boolean;
}

export const runRun = async (session: Session, flags: RunFlags): Promise<void> => {
  const definition = definitionOf(flags);
  const reply = await callDaemon(session, ({ control }) =>
    control.scratchRun({ name: flags.name, definitionJson: JSON.stringify(definition) }, UNBOUNDED),
  );
  const isShot = flags.prompt !== undefined || flags.harness === 'command';
  if (!isShot && !flags.detach && process.stdin.isTTY && process.stdout.isTTY && !session.json) {
    const { runAttach } = await import('./attach.js');
    await runAttach(session, reply.harness, { readOnly: false, detachKey: 'ctrl-]' });
    return;
  }
  if (reply.state === 'failed') throw new CliFailure('start_failed', `${reply.harness}: failed`, `harness logs ${reply.harness}`);
  const shown = { harness: reply.harness, state: reply.state, ...(reply.runId === undefined ? {} : { run_id: Number(reply.runId) }) };
  session.print(session.json ? JSON.stringify(shown) : `${shown.harness}: ${shown.state}`);
  session.notice(isShot ? `harness logs ${shown.harness} --follow` : `harness attach ${shown.harness}`);
};

/** `command` takes its whole call after `--`; a client takes arguments, or a prompt. */
const definitionOf = ({ harness, args, workdir, prompt }: RunFlags): Readonly<Record<string, unknown>> => {
  const base = { harness, workdir: isAbsolute(workdir) ? workdir : resolve(workdir), restart: 'no' };
  if (harness === 'command') {
    if (prompt !== undefined) throw new CliFailure('usage', 'a command takes no --prompt: write it into its call');
    if (args.length === 0) throw new CliFailure('usage', 'a command needs its call', 'harness run command -- make check');
    return { ...base, argv: args };
  }
  if (prompt === undefined) return args.length === 0 ? base : { ...base, args };
  if (args.length > 0) throw new CliFailure('usage', '--prompt and arguments exclude one another');
  return { ...base, prompt };
};
