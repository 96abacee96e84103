// One chat completion: no tools, no stream, no second turn. The served model must be the one asked for, to the byte.
import * as E from 'fp-ts/lib/Either.js';
import { capBytes, stripControls } from '../../core/kernel/text.js';
import { type ModelApiEndpoint, type ModelApiError, postJson } from './http.js';

const SERVED_MODEL_BYTES = 256;
/** Statuses with which an endpoint may say that it does not take a response format. */
const FORMAT_REFUSALS: readonly number[] = [400, 404, 415, 422];

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[];
  readonly max_tokens: number;
  readonly temperature: number;
  readonly response_format?: unknown;
}

export interface ChatReply {
  readonly content: string;
  readonly served_model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export type ChatClient = (request: ChatRequest, deadlineMs: number) => Promise<E.Either<ModelApiError, ChatReply>>;

/** Remembers for its life which models refused a response format, so that only the first call pays for the second try. */
export const createChatClient = (endpoint: ModelApiEndpoint, now: () => number): ChatClient => {
  const formatless = new Set<string>();
  return async (request, deadlineMs) => {
    const until = now() + deadlineMs;
    const ask = (format: boolean): Promise<E.Either<ModelApiError, unknown>> =>
      postJson(endpoint, '/chat/completions', bodyOf(request, format), Math.max(1, until - now()));
    const withFormat = request.response_format !== undefined && !formatless.has(request.model);
    let reply = await ask(withFormat);
    if (withFormat && E.isLeft(reply) && reply.left.code === 'http_status' && FORMAT_REFUSALS.includes(reply.left.status)) {
      formatless.add(request.model);
      reply = await ask(false);
    }
    return E.isLeft(reply) ? reply : readReply(reply.right, request.model);
  };
};

const bodyOf = ({ response_format, ...request }: ChatRequest, format: boolean): unknown => ({
  ...request,
  n: 1,
  stream: false,
  ...(format ? { response_format } : {}),
});

interface Completion {
  readonly model?: unknown;
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number };
}

const readReply = (value: unknown, asked: string): E.Either<ModelApiError, ChatReply> => {
  const reply = value as Completion | null;
  const served = capBytes(stripControls(typeof reply?.model === 'string' ? reply.model : ''), SERVED_MODEL_BYTES);
  if (reply?.model !== asked) return E.left({ code: 'model_mismatch', served });
  const content = Array.isArray(reply.choices) ? reply.choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') return E.left({ code: 'parse', why: 'the answer has no message' });
  return E.right({
    content,
    served_model: served,
    input_tokens: reply.usage?.prompt_tokens ?? 0,
    output_tokens: reply.usage?.completion_tokens ?? 0,
  });
};
