// `[model_api]` (ADR-0036): where models are, and the name under which the daemon finds the key. A key itself is never taken
// from the file, and never shown.
import * as E from 'fp-ts/lib/Either.js';
import type { Closed, Reader } from '../../kernel/closed.js';
import type { ModelApiConfig } from '../config.js';
import { text } from '../readers.js';
import type { PathFact } from '../source.js';

const API_ROOT = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?$/;
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

const baseUrl: Reader<string> = (value) =>
  typeof value === 'string' && API_ROOT.test(value)
    ? E.right(value.replace(/\/+$/, ''))
    : E.left('must be an absolute http or https URL without credentials, query or fragment');

const reference: Reader<string> = (value) => {
  const name = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
  return name === undefined ? E.left('must be exactly one "${NAME}" that env_file defines; a literal key is refused') : E.right(name);
};

export const MODEL_API_FIELDS = {
  base_url: { read: baseUrl, required: true },
  env_file: { read: text },
  api_key: { read: reference },
  chat_model: { read: text },
  utility_model: { read: text },
  embedding_model: { read: text },
} as const;

/** Undefined without a base URL. */
export const modelApiConfig = (values: Closed<typeof MODEL_API_FIELDS>, envFile: PathFact | undefined): ModelApiConfig | undefined => {
  const { base_url, api_key, chat_model, utility_model, embedding_model } = values;
  if (base_url === undefined) return undefined;
  return {
    base_url,
    ...(envFile === undefined ? {} : { env_file: envFile.path }),
    ...(api_key === undefined ? {} : { api_key_name: api_key }),
    ...(chat_model === undefined ? {} : { chat_model }),
    ...(utility_model === undefined ? {} : { utility_model }),
    ...(embedding_model === undefined ? {} : { embedding_model }),
  };
};
