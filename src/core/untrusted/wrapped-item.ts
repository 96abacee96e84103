// One item of a memory document: its headers, and its text quoted line by line. A closing mark can be forged by content, a
// prefix that the renderer puts before every line cannot (SPEC-0027 REQ-13).
import { capBytes, stripControls, stripControlsKeepingLines, utf8Length } from '../kernel/text.js';

/** Item text, in bytes. */
export const ITEM_TEXT_BYTES = 1_024;
const TRUNCATED = '[truncated]';

export const LABELS = ['fact', 'episode', 'run', 'collision', 'presence'] as const;
export type Label = (typeof LABELS)[number];
export type ItemKind = 'observed' | 'synced' | 'asserted' | 'operator';
export type ItemStatus = 'live' | 'suspect' | 'pending_promotion' | 'ended' | 'retracted';

export interface Anchor {
  readonly type: string;
  readonly target: string;
  readonly state: string;
}

/** Where an item comes from, from our own rows; empty parts are absent. */
export interface ItemSource {
  readonly run?: string;
  readonly harness?: string;
  readonly model?: string;
  readonly adapter?: string;
  readonly branch?: string;
  readonly outcome?: string;
  readonly at?: string;
}

export interface WrappedItem {
  readonly id: string;
  readonly label: Label;
  readonly kind: ItemKind;
  readonly scope: string;
  readonly status: ItemStatus;
  /** 0 to 1. */
  readonly confidence: number;
  readonly anchors: readonly Anchor[];
  readonly untrusted: boolean;
  readonly source: ItemSource;
  readonly provider?: string;
  readonly effective_confidence?: number;
  readonly text: string;
  /** What structured content says of the item beyond the wrapper's fields. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The values that a document and a section have said already; an item repeats none of them. */
export interface ItemDefaults {
  readonly scope: string;
  readonly label?: Label;
  readonly kind: ItemKind;
  readonly untrusted: boolean;
  readonly provider?: string;
}

/** The header and quoted lines of an item, without a trailing LF. */
export const renderItem = (item: WrappedItem, defaults: ItemDefaults): string => {
  const headers: readonly (readonly [string, string] | undefined)[] = [
    ['id', item.id],
    item.label === defaults.label ? undefined : ['label', item.label],
    item.kind === defaults.kind ? undefined : ['kind', item.kind],
    item.scope === defaults.scope ? undefined : ['scope', item.scope],
    item.status === 'live' ? undefined : ['status', item.status],
    item.confidence === 1 ? undefined : ['confidence', formatDecimal(item.confidence)],
    item.anchors.length === 0
      ? undefined
      : ['anchors', item.anchors.map(({ type, target, state }) => `${type} ${target} ${state}`).join('; ')],
    item.untrusted === defaults.untrusted ? undefined : ['untrusted', String(item.untrusted)],
    sourceHeader(item.source),
    item.provider === undefined || item.provider === defaults.provider ? undefined : ['provider', item.provider],
    item.effective_confidence === undefined ? undefined : ['effective_confidence', formatDecimal(item.effective_confidence)],
  ];
  const lines = headers.flatMap((header) => (header === undefined ? [] : [`${header[0]}: ${cleanHeader(header[1])}`]));
  return [...lines, ...quoteLines(truncateText(cleanText(item.text)))].join('\n');
};

/** What `k=v` holds: `%` and white space are percent-encoded, an empty value is `-`. */
export const encodePart = (value: string): string => {
  const clean = cleanHeader(value);
  return clean === '' ? '-' : clean.replace(/%/g, '%25').replace(/\s/g, (space) => encodeURIComponent(space));
};

/** Every kind of line break becomes LF; other control characters but TAB go. */
export const cleanText = (text: string): string =>
  stripControlsKeepingLines(text.toWellFormed().replace(/\r\n|[\r\u000b\u000c\u0085\u2028\u2029]/g, '\n'));

/** At most ITEM_TEXT_BYTES, the mark included. */
export const truncateText = (text: string): string =>
  utf8Length(text) <= ITEM_TEXT_BYTES ? text : `${capBytes(text, ITEM_TEXT_BYTES - TRUNCATED.length)}${TRUNCATED}`;

/** Shortest decimal of at most four fractional digits. */
export const formatDecimal = (value: number): string => String(Number(value.toFixed(4)));

const cleanHeader = (value: string): string => stripControls(value.toWellFormed().replace(/[\u2028\u2029]/g, ''));

const quoteLines = (text: string): readonly string[] => text.split('\n').map((line) => `> ${line}`);

const SOURCE_PARTS = ['run', 'model', 'adapter', 'branch', 'outcome', 'at'] as const;

const sourceHeader = (source: ItemSource): readonly [string, string] | undefined => {
  const parts = SOURCE_PARTS.flatMap((part) => {
    const value = source[part];
    return value === undefined || value === '' ? [] : [`${part}=${encodePart(value)}`];
  });
  return parts.length === 0 ? undefined : ['source', parts.join(' ')];
};
