// The handlers of AttachService: they carry bytes between a resident's terminal and whoever looks at it.
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect';
import type { HarnessConfig } from '../../core/config/config.js';
import type { Seen, Terminal } from '../supervise/terminal.js';
import { type ControlDeps, findHarness } from './control-service.js';
import { callError } from './errors.js';
import { type AttachRequest, AttachService } from './gen/harness/v1/attach_pb.js';

export const attachRoutes = (router: ConnectRouter, deps: ControlDeps): ConnectRouter =>
  router.service(AttachService, {
    attach: (requests, context) => attach(requests, context, deps),
    watch: ({ harness }, context) => show(terminalOf(findHarness(harness, deps), deps), context),
  });

async function* attach(requests: AsyncIterable<AttachRequest>, context: HandlerContext, deps: ControlDeps) {
  const incoming = requests[Symbol.asyncIterator]();
  const first = (await incoming.next()).value as AttachRequest | undefined;
  if (first?.message.case !== 'open') throw callError('bad_request', 'the first message of an attach names the harness');
  const { harness, size } = first.message.value;
  const terminal = terminalOf(findHarness(harness, deps), deps);
  if (size !== undefined) terminal.resize(size);
  const typing = type(incoming, terminal);
  typing.catch(() => undefined);
  yield* show(terminal, context);
}

/** Ends when the client has nothing more to say. What is typed while there is no process goes nowhere. */
const type = async (incoming: AsyncIterator<AttachRequest>, terminal: Terminal): Promise<void> => {
  for (let next = await incoming.next(); next.done !== true; next = await incoming.next()) {
    const { message } = next.value;
    if (message.case === 'input') terminal.write(message.value);
    if (message.case === 'resize') terminal.resize(message.value);
  }
};

async function* show(terminal: Terminal, context: HandlerContext) {
  const viewer = terminal.attach();
  context.signal.addEventListener('abort', viewer.leave);
  try {
    for await (const seen of viewer.events) yield toResponse(seen);
  } finally {
    viewer.leave();
  }
}

const toResponse = (seen: Seen) =>
  seen.type === 'output'
    ? { message: { case: 'output' as const, value: new Uint8Array(seen.bytes) } }
    : { message: { case: 'notice' as const, value: seen.text } };

const terminalOf = (harness: HarnessConfig, { supervisor }: ControlDeps): Terminal => {
  if (harness.kind === 'resident') return supervisor.terminal(harness.name);
  throw callError(
    'not_resident',
    `"${harness.name}" is a one-shot: it has no terminal, and takes no input`,
    `harness logs ${harness.name} --follow`,
  );
};
