// Embeds texts with the configured model: the right number of finite vectors of one dimension, or a failure.
import * as E from 'fp-ts/lib/Either.js';
import { type ModelApiEndpoint, type ModelApiError, postJson } from './http.js';

/** Longest wait for one embeddings request; a caller may give less. */
export const EMBED_DEADLINE_MS = 2_000;

export interface Embedder {
  readonly model: string;
  /** One vector per text, in order. A vector of zeros is refused: it has no direction. */
  readonly embed: (
    texts: readonly string[],
    deadlineMs?: number,
    signal?: AbortSignal,
  ) => Promise<E.Either<ModelApiError, readonly Float32Array[]>>;
  /** The dimension all vectors must have; unknown until the first answer. */
  readonly dimension: () => number | undefined;
  /** From now on vectors of this dimension are right, and others are refused. */
  readonly adopt: (dimension: number) => void;
}

export const createEmbedder = (endpoint: ModelApiEndpoint, model: string): Embedder => {
  let dimension: number | undefined;
  return {
    model,
    dimension: () => dimension,
    adopt: (next) => {
      dimension = next;
    },
    embed: async (texts, deadlineMs = EMBED_DEADLINE_MS, signal) => {
      const reply = await postJson(endpoint, '/embeddings', { model, input: texts }, deadlineMs, signal);
      if (E.isLeft(reply)) return reply;
      const vectors = readVectors(reply.right, texts.length);
      if (E.isLeft(vectors)) return vectors;
      const length = vectors.right[0]?.length;
      // One model id with two dimensions would mix two spaces: the change must be adopted first.
      if (dimension !== undefined && length !== undefined && length !== dimension)
        return E.left({ code: 'dimension_changed', from: dimension, to: length });
      dimension ??= length;
      return vectors;
    },
  };
};

const readVectors = (reply: unknown, count: number): E.Either<ModelApiError, readonly Float32Array[]> => {
  const data = (reply as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) return refuse('the answer has another number of embeddings than was asked for');
  const rows = data.map((row: unknown) => (row as { embedding?: unknown } | null)?.embedding);
  if (!rows.every(isVector)) return refuse('an embedding is no list of finite numbers');
  const vectors = rows.map((row) => Float32Array.from(row));
  const length = vectors[0]?.length;
  return vectors.every((vector) => vector.length === length) ? E.right(vectors) : refuse('the embeddings differ in dimension');
};

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((entry) => typeof entry === 'number' && Number.isFinite(Math.fround(entry))) &&
  value.some((entry) => Math.fround(entry as number) !== 0);

const refuse = (why: string): E.Either<ModelApiError, never> => E.left({ code: 'parse', why });
