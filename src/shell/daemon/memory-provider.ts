// Brings up what keeps the memory: the provider, the embedder of its vectors, and the pass that makes the missing ones.
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../../core/config/config.js';
import { resolveSecret } from '../config-files/resolve-secret.js';
import { createEmbedder, EMBED_DEADLINE_MS, type Embedder } from '../model-api/embeddings.js';
import { type GapFiller, startGapFiller } from '../provider/gap-filler.js';
import { openBuiltinProvider } from '../provider/open-builtin.js';
import type { Provider } from '../provider/provider.js';
import type { Store } from '../store/operations.js';
import type { Releasers } from './releasers.js';
import type { World } from './world.js';

export interface MemoryProvider {
  readonly provider: Provider;
  /** Both absent without an embedding model. */
  readonly embedder?: Embedder;
  readonly filler?: GapFiller;
}

/** A query's embedding gets at most half of a recall's time, so that text search still has its turn. */
export const bringUpProvider = async (
  config: Config,
  { store, world, version }: { readonly store: Store; readonly world: World; readonly version: string },
  releasers: Releasers,
): Promise<E.Either<string, MemoryProvider>> => {
  const made = embedderOf(config);
  if (E.isLeft(made)) return made;
  const embedder = made.right;
  const queryEmbedMs = Math.min(EMBED_DEADLINE_MS, Math.floor(config.memory.provider_timeout / 2));
  const filler = embedder === undefined ? undefined : await bringUpFiller(embedder, store, world, releasers);
  const vectors = embedder === undefined || filler === undefined ? {} : { embedder, filler };
  const onGap = filler === undefined ? {} : { onGap: filler.nudge, onDimensionChanged: filler.suspect };
  const provider = openBuiltinProvider({ store, world, version, queryEmbedMs, ...vectors, ...onGap });
  releasers.add('provider', provider.close);
  return E.right({ provider, ...vectors });
};

const bringUpFiller = async (embedder: Embedder, store: Store, world: World, releasers: Releasers): Promise<GapFiller> => {
  const { dim } = await store.read('builtinVectorCount', { model_id: embedder.model });
  if (dim !== undefined) embedder.adopt(dim);
  const filler = startGapFiller({ store, world, embedder });
  releasers.add('vectors', filler.close);
  return filler;
};

/** The API key is resolved by the daemon alone, from the table's own env file. */
const embedderOf = ({ model_api }: Config): E.Either<string, Embedder | undefined> => {
  if (model_api?.embedding_model === undefined) return E.right(undefined);
  const { base_url, env_file, api_key_name, embedding_model } = model_api;
  if (api_key_name === undefined || env_file === undefined) return E.right(createEmbedder({ base_url }, embedding_model));
  const key = resolveSecret(env_file, api_key_name);
  return E.isLeft(key)
    ? E.left(`[model_api]: "api_key" \${${api_key_name}} cannot be resolved: ${key.left}`)
    : E.right(createEmbedder({ base_url, api_key: key.right }, embedding_model));
};
