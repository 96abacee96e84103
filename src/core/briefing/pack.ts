// Fills a briefing: sections in order, each within its share and within what is left after what later sections are owed;
// an item that does not fit is left out whole and the next is tried (SPEC-0030 REQ-14).
import { codePointLength, utf8Length } from '../kernel/text.js';
import {
  defaultsLine,
  PREAMBLE,
  renderSectionItem,
  type SectionDefaults,
  type SectionName,
  sectionLine,
  stateLine,
} from '../untrusted/data-wrapper.js';
import { cleanText, ITEM_TEXT_BYTES, type WrappedItem } from '../untrusted/wrapped-item.js';

/** The document in bytes, whatever the cap in characters. */
export const BRIEFING_BYTES = 4_096;

/** Percent of the whole cap, and the most items, per section. */
export const SHARES: Readonly<Record<SectionName, number>> = { collisions: 25, recent_runs: 25, facts: 35, episodes: 25 };
export const ITEMS_MAX: Readonly<Record<SectionName, number>> = { collisions: 10, recent_runs: 5, facts: 8, episodes: 3 };
/** The shares add to 110 percent; what a later section is owed is scaled so that all fit. */
const SHARE_SUM = 110;

export interface SectionInput {
  readonly defaults: SectionDefaults;
  /** All matches, best first. */
  readonly items: readonly WrappedItem[];
}

export interface PackedSection {
  readonly name: SectionName;
  readonly shown: readonly WrappedItem[];
  readonly dropped: number;
}

const UNITS = ['chars', 'bytes'] as const;
type Amount = Readonly<Record<(typeof UNITS)[number], number>>;

export const packSections = (sections: readonly SectionInput[], scope: string, maxChars: number): readonly PackedSection[] => {
  const whole: Amount = { chars: maxChars, bytes: BRIEFING_BYTES };
  const budget = map2(whole, fixedSize(sections, scope), (all, fixed) => Math.max(0, all - fixed));
  let left = budget;
  return sections.map((section, index) => {
    const owed = sections.slice(index + 1).map((later) => owedTo(later, budget));
    const reserve = owed.reduce((sum, one) => map2(sum, one, add), ZERO);
    const share = mapAmount(whole, (all) => Math.floor((all * SHARES[section.defaults.name]) / 100));
    const limit = map2(share, map2(left, reserve, subtract), Math.min);
    const packed = packSection(section, scope, limit);
    left = map2(left, packed.used, subtract);
    return packed.section;
  });
};

const packSection = ({ defaults, items }: SectionInput, scope: string, limit: Amount): { section: PackedSection; used: Amount } => {
  const considered = items.slice(0, ITEMS_MAX[defaults.name]);
  const shown: WrappedItem[] = [];
  let used = ZERO;
  for (const item of considered) {
    if (utf8Length(cleanText(item.text)) > ITEM_TEXT_BYTES) continue;
    const next = map2(used, sizeOf(`${renderSectionItem(item, defaults, scope)}\n`), add);
    if (UNITS.some((unit) => next[unit] > limit[unit])) continue;
    shown.push(item);
    used = next;
  }
  // Collisions and facts tell of every match, the other two of the few that were looked at.
  const matches = defaults.name === 'collisions' || defaults.name === 'facts' ? items.length : considered.length;
  return { section: { name: defaults.name, shown, dropped: matches - shown.length }, used };
};

/** What the frame can take at most. Episodes always count, so that the rest is the same whether the provider answers or not. */
const fixedSize = (sections: readonly SectionInput[], scope: string): Amount => {
  const footer = ['omitted: 9999+', 'degraded: embeddings_unavailable', 'withheld: 9999+'].join('\n');
  const frames = sections.filter(counts).map(({ defaults }) => {
    const tail = defaults.name === 'episodes' ? stateLine('provider_unavailable') : 'dropped: 9999+; see recall';
    return `${sectionLine(defaults, true)}\n${tail}\n`;
  });
  return sizeOf([PREAMBLE, `${defaultsLine(scope)}\n`, ...frames, footer].join(''));
};

const owedTo = (section: SectionInput, budget: Amount): Amount =>
  counts(section) ? mapAmount(budget, (amount) => Math.floor((amount * SHARES[section.defaults.name]) / SHARE_SUM)) : ZERO;

const counts = ({ defaults, items }: SectionInput): boolean => items.length > 0 || defaults.name === 'episodes';

const ZERO: Amount = { chars: 0, bytes: 0 };
const sizeOf = (text: string): Amount => ({ chars: codePointLength(text), bytes: utf8Length(text) });
const mapAmount = (amount: Amount, f: (value: number) => number): Amount => ({ chars: f(amount.chars), bytes: f(amount.bytes) });
const map2 = (left: Amount, right: Amount, f: (a: number, b: number) => number): Amount => ({
  chars: f(left.chars, right.chars),
  bytes: f(left.bytes, right.bytes),
});
const add = (a: number, b: number): number => a + b;
const subtract = (a: number, b: number): number => a - b;
