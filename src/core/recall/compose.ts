// One recall document: facts, episodes, recent runs, in this order and never mixed; over 16 KiB items go from the end of
// episodes, then recent runs, then facts (SPEC-0030 REQ-12).
import { utf8Length } from '../kernel/text.js';
import {
  type DegradedReason,
  renderDocument,
  renderSectionItem,
  type SectionDefaults,
  type WrappedDocument,
  type WrappedSection,
} from '../untrusted/data-wrapper.js';
import { type Degradation, type StructuredContent, structuredContent, structuredItem } from '../untrusted/structured-content.js';
import type { WrappedItem } from '../untrusted/wrapped-item.js';

/** Bounds the text block, and the JSON of the structured content, in bytes. */
export const RECALL_BYTES = 16 * 1_024;

export interface RecallSections {
  /** The caller's scope, or `fleet` for callers without a repository. */
  readonly scope: string;
  readonly facts: readonly WrappedItem[];
  readonly episodes: readonly WrappedItem[];
  readonly recent_runs: readonly WrappedItem[];
  readonly degraded?: DegradedReason;
  readonly degradation?: Degradation;
  readonly withheld: number;
  readonly unattributed?: boolean;
}

export interface MemoryAnswer {
  readonly text: string;
  readonly structured: StructuredContent;
  readonly truncated: number;
}

export const composeRecall = (sections: RecallSections): MemoryAnswer => {
  const all: Kept = { facts: sections.facts, episodes: sections.episodes, recent_runs: sections.recent_runs };
  const total = countOf(all);
  let kept = trimByItems(all, sections.scope);
  for (;;) {
    const truncated = total - countOf(kept);
    const document = documentOf(sections, kept, truncated);
    const text = renderDocument(document);
    const structured = structuredContent(document, sections.degradation);
    const fits = utf8Length(text) <= RECALL_BYTES && utf8Length(JSON.stringify(structured)) <= RECALL_BYTES;
    const shorter = fits ? undefined : dropLast(kept);
    if (shorter === undefined) return { text, structured, truncated };
    kept = shorter;
  }
};

type Kept = Pick<RecallSections, 'facts' | 'episodes' | 'recent_runs'>;

/** Trims while the items alone are too large, so that the exact loop has little left to do. */
const trimByItems = (all: Kept, scope: string): Kept => {
  const sizes = new Map<WrappedItem, { readonly text: number; readonly json: number }>();
  for (const { defaults, name } of SECTIONS)
    for (const item of all[name])
      sizes.set(item, {
        text: utf8Length(renderSectionItem(item, defaults, scope)),
        json: utf8Length(JSON.stringify(structuredItem(item))),
      });
  const sum = (kept: Kept, part: 'text' | 'json'): number =>
    SECTIONS.flatMap(({ name }) => kept[name]).reduce((total, item) => total + (sizes.get(item)?.[part] ?? 0), 0);
  let kept = all;
  for (let shorter: Kept | undefined = kept; shorter !== undefined; shorter = dropLast(kept)) {
    kept = shorter;
    if (sum(kept, 'text') <= RECALL_BYTES && sum(kept, 'json') <= RECALL_BYTES) break;
  }
  return kept;
};

const TRIM_ORDER = ['episodes', 'recent_runs', 'facts'] as const;

const dropLast = (kept: Kept): Kept | undefined => {
  const section = TRIM_ORDER.find((name) => kept[name].length > 0);
  return section === undefined ? undefined : { ...kept, [section]: kept[section].slice(0, -1) };
};

const countOf = (kept: Kept): number => kept.facts.length + kept.episodes.length + kept.recent_runs.length;

const FACTS: SectionDefaults = { name: 'facts', kind: 'asserted', untrusted: false };
const EPISODES: SectionDefaults = { name: 'episodes', kind: 'observed', untrusted: true };
const RECENT_RUNS: SectionDefaults = { name: 'recent_runs', kind: 'observed', untrusted: false };

/** In the order of the document. */
const SECTIONS = [
  { defaults: FACTS, name: 'facts' },
  { defaults: EPISODES, name: 'episodes' },
  { defaults: RECENT_RUNS, name: 'recent_runs' },
] as const;

const documentOf = (all: RecallSections, kept: Kept, truncated: number): WrappedDocument => {
  const section = (defaults: SectionDefaults, name: keyof Kept): WrappedSection => ({
    defaults,
    items: kept[name],
    dropped: all[name].length - kept[name].length,
    showDropped: false,
  });
  return {
    document: 'recall',
    scope: all.scope,
    sections: SECTIONS.map(({ defaults, name }) => section(defaults, name)),
    footer: {
      omitted: truncated,
      withheld: all.withheld,
      ...(all.degraded === undefined ? {} : { degraded: all.degraded }),
      ...(all.unattributed === undefined ? {} : { unattributed: all.unattributed }),
    },
  };
};
