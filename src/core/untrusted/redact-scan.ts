// Finds secrets: one literal scan for the needles of all rules, then the rules of each needle found.
// Every rule reads the text as it came, so one rule's finding can never hide another's.
import { noValueUntil, patternEnd, type ScanWork, startsWord } from './redact-reading.js';
import { type NeedleKind, type RedactClass, type RedactRule, RULES } from './redact-rules.js';
import { valueEnd } from './redact-values.js';

/** A stretch of text to mask: `start` inclusive, `end` exclusive, in UTF-16 units. */
export interface Finding {
  readonly class: RedactClass;
  readonly start: number;
  readonly end: number;
}

interface Scan {
  readonly text: string;
  readonly found: Finding[];
  /** Per rule, where it may look again. */
  readonly resume: number[];
  readonly work: ScanWork;
}

/** One pass over the text. Several narrow passes are much faster than one over everything. */
interface Pass {
  readonly needles: RegExp;
  /** Rule numbers by the needle's first two characters, in any case. */
  readonly rules: ReadonlyMap<number, readonly number[]>;
  /** Characters the pattern matches before the needle. */
  readonly lead: number;
}

const LOWER = 0x20;
const openingOf = (text: string, at: number): number => ((text.charCodeAt(at) | LOWER) << 7) | (text.charCodeAt(at + 1) | LOWER);

const literal = (needle: string): string => needle.replace(/[/.\\]/g, '\\$&');
const wholeWord = (needle: string): string => (/[a-z]$/.test(needle) ? `${needle}(?![a-z0-9_])` : literal(needle));

const passOf = (kind: NeedleKind, source: (needle: string) => string, flags: string, lead = 0): Pass => {
  const rules = new Map<number, number[]>();
  const sources = new Set<string>();
  RULES.forEach((rule, index) => {
    if (rule.needleKind !== kind) return;
    for (const needle of rule.needles) sources.add(source(needle));
    for (const opening of new Set(rule.needles.map((needle) => openingOf(needle, 0)))) {
      rules.set(opening, [...(rules.get(opening) ?? []), index]);
    }
  });
  return { needles: new RegExp([...sources].join('|'), flags), rules, lead };
};

const PASSES: readonly Pass[] = [
  passOf('word', wholeWord, 'gi'),
  passOf('exact', literal, 'g'),
  passOf('after-digit', (needle) => `[0-9]${literal(needle)}`, 'g', 1),
];

/** Every finding of every rule, possibly overlapping and in order only within a pass. */
export const scan = (text: string, work: ScanWork): readonly Finding[] => {
  const state: Scan = { text, found: [], resume: [], work };
  for (const pass of PASSES) look(state, pass);
  return state.found;
};

const NO_RULES: readonly number[] = [];

const look = (state: Scan, { needles, rules, lead }: Pass): void => {
  needles.lastIndex = 0;
  for (let hit = needles.exec(state.text); hit !== null; hit = needles.exec(state.text)) {
    const at = hit.index + lead;
    for (const index of rules.get(openingOf(state.text, at)) ?? NO_RULES) tryRule(state, index, at);
    needles.lastIndex = at + 1;
  }
};

const tryRule = (state: Scan, index: number, at: number): void => {
  const rule = RULES[index];
  if (rule === undefined || at < (state.resume[index] ?? 0)) return;
  const start = valueStart(rule, state.text, at);
  if (start === undefined) return;
  state.work.tried += 1;
  const until = findValue(state, rule, at, start);
  state.resume[index] = until;
};

/** Where the rule's value would start, if its needle and head stand here. */
const valueStart = (rule: RedactRule, text: string, at: number): number | undefined => {
  if (rule.wordStart && !startsWord(text, at)) return undefined;
  if (rule.head !== undefined) return patternEnd(rule.head, text, at);
  for (const needle of rule.needles) if (text.startsWith(needle, at)) return at + needle.length;
  return undefined;
};

/** Returns where the rule may look again: past the value, past what its reader gave up on, or else where it stood. */
const findValue = (state: Scan, rule: RedactRule, at: number, start: number): number => {
  const { text, found } = state;
  if (rule.unless !== undefined && patternEnd(rule.unless, text, at) !== undefined) return at;
  const end = valueEnd(rule.value, text, start, state.work);
  if (end < 0) return noValueUntil(end) > start ? noValueUntil(end) : at;
  found.push({ class: rule.class, start: rule.keepsHead ? start : at, end });
  return end;
};
