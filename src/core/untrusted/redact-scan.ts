// Finds secrets: looks for the needles of all rules, then tries the rules of each needle found.
// Every rule reads the text as it came, so one rule's finding can never hide another's.
import { inExpansion, isIn, noValueUntil, patternEnd, type ScanWork, startsWord, tableOf } from './redact-reading.js';
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

/** A needle and the numbers of its rules. */
interface Needle {
  readonly length: number;
  readonly rules: readonly number[];
}

/** One pass over the text for all needles of one kind. */
interface Pass {
  /** Matches at a needle's rare character, which is much faster than matching needles from their start. */
  readonly pattern: RegExp;
  /** Where the needle ends, given where the match ends. */
  readonly needleEnd: (text: string, matchEnd: number) => number;
  /** Needles by their last two characters, in any case. */
  readonly needles: ReadonlyMap<number, readonly Needle[]>;
}

const LOWER = 0x20;
const endingAt = (text: string, end: number): number => ((text.charCodeAt(end - 2) | LOWER) << 7) | (text.charCodeAt(end - 1) | LOWER);

const rulesByNeedle = (kind: NeedleKind): ReadonlyMap<string, readonly number[]> => {
  const rules = new Map<string, number[]>();
  RULES.forEach((rule, index) => {
    if (rule.needleKind !== kind) return;
    for (const needle of rule.needles) rules.set(needle, [...(rules.get(needle) ?? []), index]);
  });
  return rules;
};

const passOf = (kind: NeedleKind, source: (needles: readonly string[]) => string, flags: string, needleEnd: Pass['needleEnd']): Pass => {
  const byNeedle = rulesByNeedle(kind);
  const needles = new Map<number, Needle[]>();
  for (const [needle, rules] of byNeedle) {
    const ending = endingAt(needle, needle.length);
    needles.set(ending, [...(needles.get(ending) ?? []), { length: needle.length, rules }]);
  }
  return { pattern: new RegExp(source([...byNeedle.keys()]), flags), needleEnd, needles };
};

/** One alternative for each last character, which is what the scan stops at. */
const byLastCharacter = (prefixes: readonly string[]): string => {
  const sources = prefixes.map((prefix) => prefix.replace(/\./g, '\\.'));
  const last = (source: string): string => /\\?.$/.exec(source)?.[0] ?? '';
  const ends = [...new Set(sources.map(last))];
  return ends.map((end) => `${end}(?<=${sources.filter((source) => last(source) === end).join('|')})`).join('|');
};

const BLANKS = tableOf(' \t');
const CLOSERS = tableOf('"\'`\\]');
const MOST_BLANKS = 8;
const MOST_CLOSERS = 4;

const beforeSeparator = (text: string, matchEnd: number): number => {
  let end = matchEnd - 1;
  for (let n = 0; n < MOST_BLANKS && isIn(BLANKS, text.charCodeAt(end - 1)); n += 1) end -= 1;
  for (let n = 0; n < MOST_CLOSERS && isIn(CLOSERS, text.charCodeAt(end - 1)); n += 1) end -= 1;
  return end;
};

const PASSES: readonly Pass[] = [
  passOf('name', (names) => `[:=](?<=(?:${names.join('|')})["'\`\\\\\\]]{0,4}[ \\t]{0,8}[:=])`, 'gi', beforeSeparator),
  passOf(
    'flag',
    (names) => `-(?:${names.join('|')})(?![a-z0-9_])`,
    'gi',
    (_, matchEnd) => matchEnd,
  ),
  passOf(
    'word',
    (words) => `(?:${words.join('|')})[ \\t]`,
    'gi',
    (_, matchEnd) => matchEnd - 1,
  ),
  passOf('prefix', byLastCharacter, 'g', (_, matchEnd) => matchEnd),
];

const LITERALS = [...rulesByNeedle('literal')];

/** Every finding of every rule, possibly overlapping and in order only within a pass. */
export const scan = (text: string, work: ScanWork): readonly Finding[] => {
  const state: Scan = { text, found: [], resume: [], work };
  for (const pass of PASSES) look(state, pass);
  for (const [needle, rules] of LITERALS) lookFor(state, needle, rules);
  return state.found;
};

const NO_NEEDLES: readonly Needle[] = [];

const look = (state: Scan, { pattern, needleEnd, needles }: Pass): void => {
  pattern.lastIndex = 0;
  while (pattern.test(state.text)) {
    const end = needleEnd(state.text, pattern.lastIndex);
    for (const { length, rules } of needles.get(endingAt(state.text, end)) ?? NO_NEEDLES) {
      for (const index of rules) tryRule(state, index, end - length);
    }
  }
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
  if (rule.notInExpansion && inExpansion(text, at)) return at;
  const end = valueEnd(rule.value, text, start, state.work);
  if (end < 0) return noValueUntil(end) > start ? noValueUntil(end) : at;
  found.push({ class: rule.class, start: rule.keepsHead ? start : at, end });
  return end;
};
