// Snapshot → briefing. Pure: the same snapshot gives the same bytes (SPEC-0030 REQ-14).
import { codePointLength, utf8Length } from '../kernel/text.js';
import { scopeOfRepo } from '../provider/visible-scopes.js';
import { runItem } from '../recall/items.js';
import { renderDocument, type SectionDefaults, type WrappedDocument, type WrappedSection } from '../untrusted/data-wrapper.js';
import { type StructuredContent, structuredContent } from '../untrusted/structured-content.js';
import { type PackedSection, packSections, type SectionInput } from './pack.js';
import type { BriefingSnapshot } from './snapshot.js';

export interface Briefing {
  readonly text: string;
  readonly structured: StructuredContent;
  /** Nothing to say: a tool answers the bare frame, a prompt gets nothing prepended. */
  readonly empty: boolean;
  readonly bytes: number;
  readonly chars: number;
}

export const composeBriefing = (snapshot: BriefingSnapshot): Briefing => {
  if (snapshot.repo === undefined)
    return finish({ document: 'briefing', scope: 'fleet', sections: [], footer: { omitted: 0, withheld: 0 } });
  const scope = scopeOfRepo(snapshot.repo);
  const inputs = sectionInputs(snapshot, scope);
  const packed = packSections(inputs, scope, snapshot.max_chars);
  const unavailable = snapshot.episodes.degraded === 'provider_unavailable';
  const sections = inputs.map((input, index) => writtenSection(input, packed[index], unavailable));
  const document: WrappedDocument = {
    document: 'briefing',
    scope,
    sections,
    footer: {
      omitted: sections.reduce((sum, section) => sum + section.dropped, 0),
      withheld: snapshot.withheld,
      ...(snapshot.episodes.degraded === undefined ? {} : { degraded: snapshot.episodes.degraded }),
    },
  };
  return finish(document, snapshot);
};

const sectionInputs = (snapshot: BriefingSnapshot, scope: string): readonly SectionInput[] => [
  { defaults: { name: 'collisions', label: 'collision', kind: 'observed', untrusted: false }, items: snapshot.collisions },
  {
    defaults: { name: 'recent_runs', label: 'run', kind: 'observed', untrusted: false },
    items: snapshot.recent_runs.map((run) => runItem(run, scope)),
  },
  { defaults: { name: 'facts', label: 'fact', kind: 'asserted', untrusted: false }, items: snapshot.facts },
  { defaults: episodeDefaults(snapshot.episodes.provider), items: snapshot.episodes.items },
];

const episodeDefaults = (provider: string): SectionDefaults => ({
  name: 'episodes',
  label: 'episode',
  kind: 'observed',
  untrusted: true,
  provider,
});

const writtenSection = ({ defaults }: SectionInput, packed: PackedSection | undefined, unavailable: boolean): WrappedSection => ({
  defaults,
  items: packed?.shown ?? [],
  dropped: packed?.dropped ?? 0,
  showDropped: true,
  ...(defaults.name === 'episodes' && unavailable ? { state: 'provider_unavailable' } : {}),
});

/** A section with a state line is not empty: it tells that something is missing. */
const finish = (document: WrappedDocument, snapshot?: BriefingSnapshot): Briefing => {
  const written = document.sections.some((section) => section.items.length > 0 || section.dropped > 0 || section.state !== undefined);
  const shown = written ? document : { ...document, sections: [], footer: { omitted: 0, withheld: 0 } };
  const text = renderDocument(shown);
  return {
    text,
    structured: structuredContent(shown, written ? snapshot?.episodes.degradation : undefined),
    empty: !written,
    bytes: utf8Length(text),
    chars: codePointLength(text),
  };
};
