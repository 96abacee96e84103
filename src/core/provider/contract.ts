// The provider contract, version 1: four tools, their inputs and their answers, as JSON schemas that ship with the binary and
// as the types they decode to (SPEC-0030 REQ-3).
import * as t from 'io-ts';
import type { Json } from '../kernel/canonical-json.js';

export const CONTRACT_VERSION = 1;

export const PROVIDER_TOOLS = ['memory_contract', 'memory_record_episode', 'memory_recall', 'memory_forget'] as const;
export type ProviderTool = (typeof PROVIDER_TOOLS)[number];

/** Bounds of SPEC-0030 REQ-3: code points for text and query, items otherwise. */
export const IDS_MAX = 32;
export const ID_CHARS = 128;
export const TEXT_CHARS = 2_000;
export const QUERY_CHARS = 512;
export const SCOPES_MAX = 2;
export const LIMIT_MAX = 20;
export const PATHS_MAX = 20;
/** Items read of one answer; further ones are not looked at. */
export const ITEMS_READ = 100;

export interface ToolSchemas {
  readonly input: Json;
  readonly output: Json;
}

const object = (properties: { readonly [name: string]: Json }, required: readonly string[]): Json => ({
  type: 'object',
  properties,
  required,
});
const text = (maxLength?: number): Json => ({ type: 'string', ...(maxLength === undefined ? {} : { maxLength }) });

/** Input and output of each tool. Items of a recall have types only: what breaks a bound is dropped, not the answer. */
export const PROVIDER_SCHEMAS: Readonly<Record<ProviderTool, ToolSchemas>> = {
  memory_contract: {
    input: object({}, []),
    output: object({ contract: { type: 'integer' }, provider: object({ name: text(256), version: text(256) }, ['name', 'version']) }, [
      'contract',
      'provider',
    ]),
  },
  memory_record_episode: {
    input: object(
      {
        episode_id: text(ID_CHARS),
        scope: text(),
        trust_class: { type: 'string', enum: ['standard', 'untrusted_input'] },
        episode: { type: 'object' },
        text: text(),
      },
      ['episode_id', 'scope', 'trust_class', 'episode', 'text'],
    ),
    output: object(
      { ids: { type: 'array', items: { type: 'string', minLength: 1, maxLength: ID_CHARS }, minItems: 1, maxItems: IDS_MAX } },
      ['ids'],
    ),
  },
  memory_recall: {
    input: object(
      {
        query: text(QUERY_CHARS),
        scope: { type: 'array', items: text(), minItems: 1, maxItems: SCOPES_MAX },
        limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX },
        paths: { type: 'array', items: text(), maxItems: PATHS_MAX },
      },
      ['query', 'scope', 'limit'],
    ),
    output: object(
      { items: { type: 'array', items: object({ id: text(), text: text(), score: { type: ['number', 'null'] } }, ['id', 'text']) } },
      ['items'],
    ),
  },
  memory_forget: {
    input: object({ id: text(ID_CHARS) }, ['id']),
    output: object({ forgotten: { type: 'boolean' } }, ['forgotten']),
  },
};

export const ContractReply = t.type({ contract: t.number, provider: t.type({ name: t.string, version: t.string }) });
export type ContractReply = t.TypeOf<typeof ContractReply>;

export const RecordReply = t.type({ ids: t.array(t.string) });
export type RecordReply = t.TypeOf<typeof RecordReply>;

const RecallItem = t.intersection([t.type({ id: t.string, text: t.string }), t.partial({ score: t.union([t.number, t.null]) })]);
export const RecallReply = t.type({ items: t.array(RecallItem) });
export type RecallReply = t.TypeOf<typeof RecallReply>;
/** An item as a provider returned it: nothing in it is believed but its id, and that only through the index. */
export type RecallItem = t.TypeOf<typeof RecallItem>;

export const ForgetReply = t.type({ forgotten: t.boolean });
export type ForgetReply = t.TypeOf<typeof ForgetReply>;

export interface RecallArguments {
  readonly query: string;
  readonly scope: readonly string[];
  readonly limit: number;
  readonly paths?: readonly string[];
}
