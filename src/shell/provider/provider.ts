// The daemon's one way to a memory provider: an MCP session, every answer checked against the contract, every call bounded
// by a deadline that covers connecting and the contract check (SPEC-0030 REQ-3, REQ-13).
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, CallToolResultSchema, ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import * as E from 'fp-ts/lib/Either.js';
import type { SafeEpisode } from '../../core/episode/episode.js';
import {
  type ContractReply,
  type ForgetReply,
  PROVIDER_TOOLS,
  type ProviderTool,
  type RecallArguments,
  type RecallReply,
  type RecordReply,
} from '../../core/provider/contract.js';
import type { ProviderError, ProviderPhase } from '../../core/provider/errors.js';
import { type ProviderEvent, type ProviderState, stepProvider } from '../../core/provider/state.js';
import { cleanLine } from '../../core/untrusted/clean.js';
import type { World } from '../daemon/world.js';
import { BUILTIN_PROVIDER, DEGRADED_META } from './builtin-server.js';
import { providerValidators } from './schemas.js';

/** A provider's own words in a log or status, in bytes, after redaction. */
const MESSAGE_BYTES = 256;
/** Pages of a tool list that are read. */
const TOOL_PAGES = 8;

export interface RecordArguments {
  readonly episode_id: string;
  readonly scope: string;
  readonly trust_class: string;
  readonly episode: SafeEpisode;
  readonly text: string;
}

export interface Recalled extends RecallReply {
  readonly degraded?: 'embeddings_unavailable';
}

export interface Provider {
  readonly name: string;
  readonly state: () => ProviderState;
  readonly check: (deadlineMs: number) => Promise<E.Either<ProviderError, ContractReply>>;
  readonly record: (args: RecordArguments, deadlineMs: number) => Promise<E.Either<ProviderError, RecordReply>>;
  readonly recall: (args: RecallArguments, deadlineMs: number) => Promise<E.Either<ProviderError, Recalled>>;
  readonly forget: (id: string, deadlineMs: number) => Promise<E.Either<ProviderError, ForgetReply>>;
  readonly close: () => Promise<void>;
}

/** `open` connects a fresh transport; it is called again after a session closed. */
export const connectProvider = (name: string, open: () => Promise<Transport>, version: string, world: World): Provider => {
  let state: ProviderState = { kind: 'unknown', since: world.now() };
  let session: Promise<Client> | undefined;
  /** The session whose contract was checked. */
  let checked: Client | undefined;

  const note = (event: ProviderEvent): void => {
    const before = state.kind;
    state = stepProvider(state, event, world.now());
    if (state.kind !== before) world.log.info({ event: 'provider_state', provider: name, state: state.kind });
  };

  const connect = async (onClose: () => void): Promise<Client> => {
    const client = new Client({ name: 'harness', version }, { capabilities: {} });
    client.onclose = onClose;
    await client.connect(await open());
    return client;
  };

  /** The open session, or a new one. One that closed, failed or hangs is forgotten, so that the next call tries again. */
  const openSession = (): Promise<Client> => {
    if (session !== undefined) return session;
    const forget = (): void => {
      if (session === opening) session = undefined;
    };
    const opening = connect(forget);
    opening.catch(forget);
    session = opening;
    return opening;
  };

  const abandonSession = (): void => {
    session?.then((client) => client.close()).catch(() => undefined);
    session = undefined;
  };

  const deadlined = async <A>(
    deadlineMs: number,
    work: (progress: { phase: ProviderPhase }, signal: AbortSignal) => Promise<E.Either<ProviderError, A>>,
  ) => {
    const progress: { phase: ProviderPhase } = { phase: 'connect' };
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<E.Either<ProviderError, A>>((resolve) => {
      timer = setTimeout(() => {
        abort.abort();
        if (progress.phase === 'connect') abandonSession();
        resolve(E.left({ code: 'provider_timeout', provider: name, deadline_ms: deadlineMs, phase: progress.phase }));
      }, deadlineMs);
    });
    try {
      return await Promise.race([late, work(progress, abort.signal)]);
    } catch (error) {
      return E.left<ProviderError, A>({ code: 'provider_error', provider: name, phase: progress.phase, message: clean(error) });
    } finally {
      clearTimeout(timer);
    }
  };

  const call = async (
    client: Client,
    tool: ProviderTool,
    args: object,
    signal: AbortSignal,
    timeout: number,
  ): Promise<E.Either<ProviderError, CallToolResult>> => {
    const options = { signal, timeout: timeout + 1_000 };
    const result = await client.request(
      { method: 'tools/call', params: { name: tool, arguments: args as Record<string, unknown> } },
      CallToolResultSchema,
      options,
    );
    if (result.isError === true) return E.left({ code: 'provider_error', provider: name, phase: 'reply', message: clean(textOf(result)) });
    return E.right(result);
  };

  const contractOf = async (client: Client, signal: AbortSignal, deadlineMs: number): Promise<E.Either<ProviderError, ContractReply>> => {
    const names = await toolNames(client, signal, deadlineMs);
    const missing = PROVIDER_TOOLS.find((tool) => !names.has(tool));
    if (missing !== undefined) {
      note({ type: 'missing_tool', tool: missing });
      return E.left({ code: 'provider_incompatible', provider: name, phase: 'contract', message: `tool ${missing} is missing` });
    }
    const reply = await call(client, 'memory_contract', {}, signal, deadlineMs);
    if (E.isLeft(reply)) return reply;
    const decoded = decode<ContractReply>('memory_contract', reply.right, 'contract');
    if (E.isRight(decoded)) {
      note({ type: 'contract', reply: decoded.right });
      checked = client;
    }
    return decoded;
  };

  const ready = async (
    progress: { phase: ProviderPhase },
    signal: AbortSignal,
    deadlineMs: number,
  ): Promise<E.Either<ProviderError, Client>> => {
    const client = await openSession();
    if (checked !== client || state.kind !== 'ready') {
      progress.phase = 'contract';
      const contract = await contractOf(client, signal, deadlineMs);
      if (E.isLeft(contract)) return contract;
    }
    if (state.kind === 'incompatible')
      return E.left({ code: 'provider_incompatible', provider: name, phase: 'contract', message: state.why });
    return E.right(client);
  };

  const ask = async <A>(
    tool: ProviderTool,
    args: object,
    deadlineMs: number,
  ): Promise<E.Either<ProviderError, { value: A; result: CallToolResult }>> => {
    const outcome = await deadlined(deadlineMs, async (progress, signal) => {
      const client = await ready(progress, signal, deadlineMs);
      if (E.isLeft(client)) return client;
      progress.phase = 'call';
      const result = await call(client.right, tool, args, signal, deadlineMs);
      if (E.isLeft(result)) return result;
      const value = decode<A>(tool, result.right, 'reply');
      return E.isLeft(value) ? value : E.right({ value: value.right, result: result.right });
    });
    if (E.isLeft(outcome) && outcome.left.code !== 'provider_incompatible') note({ type: 'failed', why: outcome.left.code });
    return outcome;
  };

  const decode = <A>(tool: ProviderTool, result: CallToolResult, phase: ProviderPhase): E.Either<ProviderError, A> => {
    const value = result.structuredContent ?? parseText(result);
    const wrong = providerValidators()[tool].output(value);
    return wrong === undefined
      ? E.right(value as A)
      : E.left({ code: 'provider_invalid_reply', provider: name, phase, message: clean(`${tool} answered off its schema: ${wrong}`) });
  };

  return {
    name,
    state: () => state,
    check: (deadlineMs) =>
      deadlined(deadlineMs, async (progress, signal) => {
        const client = await openSession();
        progress.phase = 'contract';
        return contractOf(client, signal, deadlineMs);
      }).then((outcome) => {
        if (E.isLeft(outcome) && outcome.left.code !== 'provider_incompatible') note({ type: 'failed', why: outcome.left.code });
        return outcome;
      }),
    record: async (args, deadlineMs) =>
      E.map(({ value }: { value: RecordReply }) => value)(await ask<RecordReply>('memory_record_episode', args, deadlineMs)),
    recall: async (args, deadlineMs) => {
      const outcome = await ask<RecallReply>('memory_recall', args, deadlineMs);
      if (E.isLeft(outcome)) return outcome;
      const marked = name === BUILTIN_PROVIDER && outcome.right.result._meta?.[DEGRADED_META] === 'embeddings_unavailable';
      return E.right({ ...outcome.right.value, ...(marked ? { degraded: 'embeddings_unavailable' as const } : {}) });
    },
    forget: async (id, deadlineMs) =>
      E.map(({ value }: { value: ForgetReply }) => value)(await ask<ForgetReply>('memory_forget', { id }, deadlineMs)),
    close: async () => {
      const open = session;
      session = undefined;
      await open?.then((client) => client.close()).catch(() => undefined);
    },
  };
};

/** The names of every tool, page by page; a list that does not end is read no further. */
const toolNames = async (client: Client, signal: AbortSignal, deadlineMs: number): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < TOOL_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, { signal, timeout: deadlineMs + 1_000 });
    for (const tool of listed.tools) names.add(tool.name);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return names;
};

const clean = (error: unknown): string => cleanLine(error instanceof Error ? error.message : String(error), MESSAGE_BYTES);

const textOf = (result: CallToolResult): string =>
  result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');

/** The one text block of an answer that has no structured content. */
const parseText = (result: CallToolResult): unknown => {
  const [block] = result.content;
  if (block?.type !== 'text') return undefined;
  try {
    return JSON.parse(block.text);
  } catch {
    return undefined;
  }
};
