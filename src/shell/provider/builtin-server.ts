// The built-in provider: an MCP server with the contract's four tools over Harness's own store. Its ids are episode ids, and
// it is reached like any upstream, so that nothing about it is special to the index in front of it (SPEC-0030 REQ-11).
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Episode } from '../../core/episode/episode.js';
import { formatInstant } from '../../core/kernel/time.js';
import {
  CONTRACT_VERSION,
  PROVIDER_SCHEMAS,
  PROVIDER_TOOLS,
  type ProviderTool,
  type RecallArguments,
} from '../../core/provider/contract.js';
import { episodeDigest } from '../../core/provider/digest-text.js';
import { fuseRankings } from '../../core/retrieval/fuse.js';
import { matchExpression, splitWords } from '../../core/retrieval/query.js';
import type { World } from '../daemon/world.js';
import type { Embedder } from '../model-api/embeddings.js';
import { describeModelApiError } from '../model-api/http.js';
import type { Store } from '../store/operations.js';
import type { Vector } from '../store/vector-table.js';
import { providerValidators } from './schemas.js';

export const BUILTIN_PROVIDER = 'builtin';
/** The mark of an answer that was found without its vectors; believed only from the built-in. */
export const DEGRADED_META = 'harness/degraded';

export interface BuiltinOptions {
  readonly store: Store;
  readonly world: World;
  readonly version: string;
  readonly embedder?: Embedder;
  /** Longest wait for a query's embedding; below the recall's own deadline, so that text search still gets its turn. */
  readonly queryEmbedMs: number;
  /** Told when a memory was stored without its vector. */
  readonly onGap?: () => void;
  /** Told when a query's vector had another dimension than the one in use. */
  readonly onDimensionChanged?: () => void;
}

const DESCRIPTIONS: Readonly<Record<ProviderTool, string>> = {
  memory_contract: 'The contract version this provider implements, and its own name and version.',
  memory_record_episode: 'Stores one episode and answers with the ids it can be recalled and forgotten by.',
  memory_recall: 'Finds episodes of the given scopes that fit a query, best first.',
  memory_forget: 'Removes what is stored under an id; an unknown id answers forgotten: false.',
};

export const createBuiltinServer = (options: BuiltinOptions): Server => {
  const server = new Server({ name: 'harness-builtin-memory', version: options.version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: PROVIDER_TOOLS.map((name) => ({
      name,
      description: DESCRIPTIONS[name],
      inputSchema: PROVIDER_SCHEMAS[name].input as { type: 'object' },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const tool = PROVIDER_TOOLS.find((name) => name === params.name);
    if (tool === undefined) return refuse(`unknown tool ${params.name}`);
    const args = params.arguments ?? {};
    const wrong = providerValidators()[tool].input(args);
    return wrong === undefined ? callTool(tool, args, options) : refuse(`invalid_argument: ${wrong}`);
  });
  return server;
};

const callTool = (tool: ProviderTool, args: Record<string, unknown>, options: BuiltinOptions): Promise<CallToolResult> => {
  switch (tool) {
    case 'memory_contract':
      return Promise.resolve(answer({ contract: CONTRACT_VERSION, provider: { name: 'harness-builtin', version: options.version } }));
    case 'memory_record_episode':
      return record(args as unknown as RecordArguments, options);
    case 'memory_recall':
      return recall(args as unknown as RecallArguments, options);
    case 'memory_forget':
      return forget(args as { id: string }, options);
  }
};

interface RecordArguments {
  readonly episode_id: string;
  readonly scope: string;
  readonly episode: Partial<Episode>;
  readonly text: string;
}

const record = async ({ episode_id, scope, episode, text }: RecordArguments, options: BuiltinOptions): Promise<CallToolResult> => {
  const { store, world } = options;
  const files = Array.isArray(episode.files_touched) ? episode.files_touched : [];
  const words = splitWords([...files, episode.branch ?? '', episode.harness ?? '', episode.repo ?? ''].join(' '));
  const vector = await vectorOf(text, options);
  await store.write('builtinRecord', {
    id: episode_id,
    scope,
    text,
    digest: episodeDigest(episode),
    body: `${text}\n${words}`,
    files,
    content_hash: world.digest(text),
    recorded_at: formatInstant(world.now()),
    ...(vector === undefined ? {} : { vector }),
  });
  if (vector === undefined) options.onGap?.();
  return answer({ ids: [episode_id] });
};

const recall = async ({ query, scope, limit, paths }: RecallArguments, options: BuiltinOptions): Promise<CallToolResult> => {
  const match = matchExpression(query);
  const vector = await embedText(query, options, options.queryEmbedMs);
  const found = await options.store.read('builtinSearch', {
    scopes: scope,
    paths: paths ?? [],
    ...(match === undefined ? {} : { match }),
    ...(vector === undefined ? {} : { vector }),
  });
  const rows = new Map(found.rows.map((row) => [row.id, row]));
  const ranked = fuseRankings([found.text, found.cosine, found.paths], (id) => rows.get(id)?.recorded_at ?? '');
  const items = ranked.slice(0, limit).map(({ id, score }) => ({ id, text: rows.get(id)?.digest ?? '', score }));
  const degraded = options.embedder !== undefined && vector === undefined && query.trim() !== '';
  return { ...answer({ items }), ...(degraded ? { _meta: { [DEGRADED_META]: 'embeddings_unavailable' } } : {}) };
};

const forget = async ({ id }: { id: string }, { store }: BuiltinOptions): Promise<CallToolResult> =>
  answer({ forgotten: (await store.write('builtinForget', id)).forgotten });

/** Cached by content and model: a text is embedded once. */
const vectorOf = async (text: string, options: BuiltinOptions): Promise<Vector | undefined> => {
  const { store, world, embedder } = options;
  if (embedder === undefined) return undefined;
  const dim = embedder.dimension();
  const known = await store.read('builtinVector', {
    content_hash: world.digest(text),
    model_id: embedder.model,
    ...(dim === undefined ? {} : { dim }),
  });
  return known === undefined ? embedText(text, options, undefined) : { model_id: embedder.model, values: known };
};

/** A text that cannot be embedded is stored, or looked for, without a vector. */
const embedText = async (
  text: string,
  { embedder, world, onDimensionChanged }: BuiltinOptions,
  deadlineMs: number | undefined,
): Promise<Vector | undefined> => {
  if (embedder === undefined || text.trim() === '') return undefined;
  const vectors = await embedder.embed([text], deadlineMs);
  if (E.isRight(vectors)) return vectors.right[0] === undefined ? undefined : { model_id: embedder.model, values: vectors.right[0] };
  if (vectors.left.code === 'dimension_changed') onDimensionChanged?.();
  world.log.warn({ event: 'embedding_failed', model: embedder.model, error: describeModelApiError(vectors.left) });
  return undefined;
};

const answer = (content: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: content,
});

const refuse = (message: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text: message }] });
