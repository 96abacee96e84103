// The same document as structured content: every item repeats every field, and a degraded answer says how far it got.
import type { WrappedDocument } from './data-wrapper.js';
import { cleanText, truncateText, type WrappedItem } from './wrapped-item.js';

/** Why an answer is degraded, and what was tried. */
export interface Degradation {
  readonly reason: string;
  readonly provider: string;
  readonly deadline_ms: number;
  readonly phase: string;
}

export interface StructuredContent {
  readonly wrapper: 1;
  readonly document: string;
  readonly sections: readonly {
    readonly name: string;
    readonly items: readonly unknown[];
    readonly dropped: number;
    readonly state?: string;
  }[];
  readonly truncated: number;
  readonly withheld: number;
  readonly degraded?: string;
  readonly degradation?: Degradation;
  readonly note?: 'unattributed';
}

export const structuredContent = (document: WrappedDocument, degradation?: Degradation): StructuredContent => ({
  wrapper: 1,
  document: document.document,
  sections: document.sections.map((section) => ({
    name: section.defaults.name,
    items: section.items.map(structuredItem),
    dropped: section.dropped,
    ...(section.state === undefined ? {} : { state: section.state }),
  })),
  truncated: document.footer.omitted,
  withheld: document.footer.withheld,
  ...(document.footer.degraded === undefined ? {} : { degraded: document.footer.degraded }),
  ...(degradation === undefined ? {} : { degradation: inOrder(degradation) }),
  ...(document.footer.unattributed === true ? { note: 'unattributed' as const } : {}),
});

/** Members in one order, wherever the value came from: the same document is the same bytes. */
const inOrder = ({ reason, provider, deadline_ms, phase }: Degradation): Degradation => ({ reason, provider, deadline_ms, phase });

/** One item with every field. */
export const structuredItem = (item: WrappedItem): unknown => ({
  id: item.id,
  label: item.label,
  kind: item.kind,
  scope: item.scope,
  status: item.status,
  confidence: item.confidence,
  anchors: item.anchors.map(({ type, target, state }) => ({ type, target, state })),
  untrusted: item.untrusted,
  source: { run: item.source.run ?? '', harness: item.source.harness ?? '', model: item.source.model ?? '' },
  ...(item.provider === undefined ? {} : { provider: item.provider }),
  ...(item.effective_confidence === undefined ? {} : { effective_confidence: item.effective_confidence }),
  ...item.extra,
  text: truncateText(cleanText(item.text)),
});
