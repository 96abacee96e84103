// Finds secrets: looks for the needles of all rules, then tries the rules of each needle found.
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

/** One pass over the text for all needles of one kind. */
interface Pass {
  /** Matches at a needle's rare character. A group, if one is set, is the needle and what follows it in the match. */
  readonly needles: RegExp;
  /** Without a group, how many characters of the match stand before the needle. */
  readonly lead: number;
  /** Rule numbers by the needle's first two characters, in any case. */
  readonly rules: ReadonlyMap<number, readonly number[]>;
}

const LOWER = 0x20;
const openingOf = (text: string, at: number): number => ((text.charCodeAt(at) | LOWER) << 7) | (text.charCodeAt(at + 1) | LOWER);

const literalSource = (needle: string): string => needle.replace(/[/.\\]/g, '\\$&');

const passOf = (kind: NeedleKind, pattern: (needles: readonly string[]) => string, flags: string, lead = 0): Pass => {
  const rules = new Map<number, number[]>();
  const sources = new Set<string>();
  RULES.forEach((rule, index) => {
    if (rule.needleKind !== kind) return;
    for (const needle of rule.needles) sources.add(literalSource(needle));
    for (const opening of new Set(rule.needles.map((needle) => openingOf(needle, 0)))) {
      rules.set(opening, [...(rules.get(opening) ?? []), index]);
    }
  });
  return { needles: new RegExp(pattern([...sources]), flags), lead, rules };
};

/** One alternative for each last character, which is what the scan stops at. */
const byLastCharacter = (prefixes: readonly string[]): string => {
  const last = (prefix: string): string => /\\?.$/.exec(prefix)?.[0] ?? '';
  return [...new Set(prefixes.map(last))]
    .map((end) => `${end}(?<=(${prefixes.filter((prefix) => last(prefix) === end).join('|')}))`)
    .join('|');
};

const PASSES: readonly Pass[] = [
  passOf('name', (names) => `[:=](?<=((?:${names.join('|')})["'\`\\\\\\]]{0,4}[ \\t]{0,8}[:=]))`, 'gi'),
  passOf('flag', (names) => `-(?:${names.join('|')})(?![a-z0-9_])`, 'gi', 1),
  passOf('word', (words) => `(?:${words.join('|')})[ \\t]`, 'gi'),
  passOf('prefix', byLastCharacter, 'g'),
];

const rulesByLiteral = (): readonly (readonly [string, readonly number[]])[] => {
  const rules = new Map<string, number[]>();
  RULES.forEach((rule, index) => {
    if (rule.needleKind !== 'literal') return;
    for (const needle of rule.needles) rules.set(needle, [...(rules.get(needle) ?? []), index]);
  });
  return [...rules];
};

const LITERALS = rulesByLiteral();

/** Every finding of every rule, possibly overlapping and in order only within a pass. */
export const scan = (text: string, work: ScanWork): readonly Finding[] => {
  const state: Scan = { text, found: [], resume: [], work };
  for (const pass of PASSES) look(state, pass);
  for (const [needle, rules] of LITERALS) lookFor(state, needle, rules);
  return state.found;
};

const NO_RULES: readonly number[] = [];

const look = (state: Scan, { needles, rules, lead }: Pass): void => {
  needles.lastIndex = 0;
  for (let hit = needles.exec(state.text); hit !== null; hit = needles.exec(state.text)) {
    const at = needleStart(hit, lead);
    for (const index of rules.get(openingOf(state.text, at)) ?? NO_RULES) tryRule(state, index, at);
    needles.lastIndex = hit.index + 1;
  }
};

const needleStart = (hit: RegExpExecArray, lead: number): number => {
  for (let i = 1; i < hit.length; i += 1) {
    const group = hit[i];
    if (group !== undefined) return hit.index + hit[0].length - group.length;
  }
  return hit.index + lead;
};

const lookFor = (state: Scan, needle: string, rules: readonly number[]): void => {
  for (let at = state.text.indexOf(needle); at !== -1; at = state.text.indexOf(needle, at + 1)) {
    for (const index of rules) tryRule(state, index, at);
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
