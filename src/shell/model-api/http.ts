// One POST to an OpenAI-compatible endpoint: bounded in time and size, redirects never followed, failures as a closed set.
import * as E from 'fp-ts/lib/Either.js';

/** A body of exactly this many bytes is read, one more is an error. */
export const BODY_LIMIT_BYTES = 1_048_576;

export type ModelApiError =
  | { readonly code: 'timeout'; readonly deadline_ms: number }
  | { readonly code: 'transport'; readonly why: string }
  | { readonly code: 'http_status'; readonly status: number }
  | { readonly code: 'too_large' }
  | { readonly code: 'parse'; readonly why: string }
  | { readonly code: 'model_mismatch'; readonly served: string }
  /** Of vectors under one model id. */
  | { readonly code: 'dimension_changed'; readonly from: number; readonly to: number };

export interface ModelApiEndpoint {
  /** The API root without a trailing slash, usually ending in `/v1`. */
  readonly base_url: string;
  readonly api_key?: string;
}

/** Posts JSON and returns the decoded JSON body. A given signal that fires fails it as a transport. */
export const postJson = async (
  endpoint: ModelApiEndpoint,
  path: string,
  body: unknown,
  deadlineMs: number,
  given?: AbortSignal,
): Promise<E.Either<ModelApiError, unknown>> => {
  const late = AbortSignal.timeout(deadlineMs);
  const signal = given === undefined ? late : AbortSignal.any([late, given]);
  try {
    // Loaded on first use: a daemon without a model API never needs it.
    const { request } = await import('./request.js');
    const reply = await request(`${endpoint.base_url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.api_key === undefined ? {} : { authorization: `Bearer ${endpoint.api_key}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    if (reply.statusCode < 200 || reply.statusCode > 299) {
      reply.body.on('error', () => undefined).destroy();
      return E.left({ code: 'http_status', status: reply.statusCode });
    }
    const bytes = await readBounded(reply.body);
    return bytes === undefined ? E.left({ code: 'too_large' }) : parse(bytes);
  } catch (error) {
    if (late.aborted) return E.left({ code: 'timeout', deadline_ms: deadlineMs });
    return E.left({ code: 'transport', why: (error as { code?: string }).code ?? (error as Error).name });
  }
};

const readBounded = async (
  body: AsyncIterable<Buffer> & { destroy: () => unknown; on: (event: 'error', listener: () => void) => unknown },
) => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > BODY_LIMIT_BYTES) {
      body.on('error', () => undefined);
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const parse = (bytes: Buffer): E.Either<ModelApiError, unknown> => {
  try {
    return E.right(JSON.parse(bytes.toString('utf8')) as unknown);
  } catch {
    return E.left({ code: 'parse', why: 'the answer is no JSON' });
  }
};

export const describeModelApiError = (error: ModelApiError): string => {
  switch (error.code) {
    case 'timeout':
      return `no answer within ${error.deadline_ms} ms`;
    case 'transport':
      return `transport failed: ${error.why}`;
    case 'http_status':
      return `status ${error.status}`;
    case 'too_large':
      return `the answer exceeds ${BODY_LIMIT_BYTES} bytes`;
    case 'parse':
      return error.why;
    case 'model_mismatch':
      return `served by ${error.served}`;
    case 'dimension_changed':
      return `the dimension changed from ${error.from} to ${error.to}`;
  }
};
