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
export const connectProvider = (name: string, open: () => Promise<Transport>, version: string, world: World): Provider =>
  new McpProvider(name, open, version, world);

interface Progress {
  phase: ProviderPhase;
}

/** What one piece of bounded work goes by. */
interface Bounds {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** An answer's checked value, and the whole result it came in. */
interface Answer<A> {
  readonly value: A;
  readonly result: CallToolResult;
}

/** Its functions are bound, so each may be handed on by itself. */
class McpProvider implements Provider {
  readonly name: string;
  private readonly open: () => Promise<Transport>;
  private readonly version: string;
  private readonly world: World;
  private current: ProviderState;
  private session: Promise<Client> | undefined;
  /** The session whose contract was checked. */
  private checked: Client | undefined;

  constructor(name: string, open: () => Promise<Transport>, version: string, world: World) {
    this.name = name;
    this.open = open;
    this.version = version;
    this.world = world;
    this.current = { kind: 'unknown', since: world.now() };
  }

  readonly state: Provider['state'] = () => this.current;

  readonly check: Provider['check'] = async (deadlineMs) =>
    this.noteFailure(
      await this.deadlined(deadlineMs, async (bounds) => {
        const client = await this.openSession();
        bounds.progress.phase = 'contract';
        return this.contractOf(client, bounds);
      }),
    );

  readonly record: Provider['record'] = async (args, deadlineMs) =>
    E.map(({ value }: Answer<RecordReply>) => value)(await this.ask<RecordReply>('memory_record_episode', args, deadlineMs));

  readonly recall: Provider['recall'] = async (args, deadlineMs) => {
    const outcome = await this.ask<RecallReply>('memory_recall', args, deadlineMs);
    if (E.isLeft(outcome)) return outcome;
    const marked = this.name === BUILTIN_PROVIDER && outcome.right.result._meta?.[DEGRADED_META] === 'embeddings_unavailable';
    return E.right({ ...outcome.right.value, ...(marked ? { degraded: 'embeddings_unavailable' as const } : {}) });
  };

  readonly forget: Provider['forget'] = async (id, deadlineMs) =>
    E.map(({ value }: Answer<ForgetReply>) => value)(await this.ask<ForgetReply>('memory_forget', { id }, deadlineMs));

  readonly close: Provider['close'] = async () => {
    const open = this.session;
    this.session = undefined;
    await open?.then((client) => client.close()).catch(() => undefined);
  };

  private async ask<A>(tool: ProviderTool, args: object, deadlineMs: number): Promise<E.Either<ProviderError, Answer<A>>> {
    const outcome = await this.deadlined(deadlineMs, async (bounds) => {
      const client = await this.ready(bounds);
      if (E.isLeft(client)) return client;
      bounds.progress.phase = 'call';
      const result = await this.call(client.right, tool, args, bounds);
      if (E.isLeft(result)) return result;
      const value = this.decode<A>(tool, result.right, 'reply');
      return E.isLeft(value) ? value : E.right({ value: value.right, result: result.right });
    });
    return this.noteFailure(outcome);
  }

  private async ready(bounds: Bounds): Promise<E.Either<ProviderError, Client>> {
    const client = await this.openSession();
    if (this.checked !== client || this.current.kind !== 'ready') {
      bounds.progress.phase = 'contract';
      const contract = await this.contractOf(client, bounds);
      if (E.isLeft(contract)) return contract;
    }
    return this.current.kind === 'incompatible' ? this.incompatible(this.current.why) : E.right(client);
  }

  private async contractOf(client: Client, bounds: Bounds): Promise<E.Either<ProviderError, ContractReply>> {
    const names = await toolNames(client, bounds.signal, bounds.deadlineMs);
    const missing = PROVIDER_TOOLS.find((tool) => !names.has(tool));
    if (missing !== undefined) {
      this.note({ type: 'missing_tool', tool: missing });
      return this.incompatible(`tool ${missing} is missing`);
    }
    const reply = await this.call(client, 'memory_contract', {}, bounds);
    if (E.isLeft(reply)) return reply;
    const decoded = this.decode<ContractReply>('memory_contract', reply.right, 'contract');
    if (E.isRight(decoded)) {
      this.note({ type: 'contract', reply: decoded.right });
      this.checked = client;
    }
    return decoded;
  }

  private async call(client: Client, tool: ProviderTool, args: object, bounds: Bounds): Promise<E.Either<ProviderError, CallToolResult>> {
    const { signal, deadlineMs } = bounds;
    const result = await client.request(
      { method: 'tools/call', params: { name: tool, arguments: args as Record<string, unknown> } },
      CallToolResultSchema,
      { signal, timeout: deadlineMs + 1_000 },
    );
    return result.isError === true ? this.failure('reply', textOf(result)) : E.right(result);
  }

  private decode<A>(tool: ProviderTool, result: CallToolResult, phase: ProviderPhase): E.Either<ProviderError, A> {
    const value = result.structuredContent ?? parseText(result);
    const wrong = providerValidators()[tool].output(value);
    if (wrong === undefined) return E.right(value as A);
    const message = clean(`${tool} answered off its schema: ${wrong}`);
    return E.left({ code: 'provider_invalid_reply', provider: this.name, phase, message });
  }

  private async deadlined<A>(
    deadlineMs: number,
    work: (bounds: Bounds) => Promise<E.Either<ProviderError, A>>,
  ): Promise<E.Either<ProviderError, A>> {
    const progress: Progress = { phase: 'connect' };
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<E.Either<ProviderError, A>>((resolve) => {
      timer = setTimeout(() => {
        abort.abort();
        if (progress.phase === 'connect') this.abandonSession();
        resolve(E.left({ code: 'provider_timeout', provider: this.name, deadline_ms: deadlineMs, phase: progress.phase }));
      }, deadlineMs);
    });
    try {
      return await Promise.race([late, work({ progress, signal: abort.signal, deadlineMs })]);
    } catch (error) {
      return this.failure(progress.phase, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The open session, or a new one. One that closed, failed or hangs is forgotten, so that the next call tries again. */
  private openSession(): Promise<Client> {
    if (this.session !== undefined) return this.session;
    const forget = (): void => {
      if (this.session === opening) this.session = undefined;
    };
    const opening = this.connect(forget);
    opening.catch(forget);
    this.session = opening;
    return opening;
  }

  private async connect(onClose: () => void): Promise<Client> {
    const client = new Client({ name: 'harness', version: this.version }, { capabilities: {} });
    client.onclose = onClose;
    await client.connect(await this.open());
    return client;
  }

  private abandonSession(): void {
    this.session?.then((client) => client.close()).catch(() => undefined);
    this.session = undefined;
  }

  private note(event: ProviderEvent): void {
    const before = this.current.kind;
    this.current = stepProvider(this.current, event, this.world.now());
    if (this.current.kind !== before) this.world.log.info({ event: 'provider_state', provider: this.name, state: this.current.kind });
  }

  private noteFailure<A>(outcome: E.Either<ProviderError, A>): E.Either<ProviderError, A> {
    if (E.isLeft(outcome) && outcome.left.code !== 'provider_incompatible') this.note({ type: 'failed', why: outcome.left.code });
    return outcome;
  }

  private incompatible(message: string): E.Either<ProviderError, never> {
    return E.left({ code: 'provider_incompatible', provider: this.name, phase: 'contract', message });
  }

  private failure(phase: ProviderPhase, cause: unknown): E.Either<ProviderError, never> {
    return E.left({ code: 'provider_error', provider: this.name, phase, message: clean(cause) });
  }
}

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
