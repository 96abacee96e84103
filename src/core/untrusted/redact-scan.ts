// Finds secrets: one literal scan for the needles of all rules, then the rules of each needle found.
// Every rule reads the text as it came, so one rule's finding can never hide another's.
import { basicAuth } from './redact-basic-auth.js';
import { noValueUntil, patternEnd, startsWord } from './redact-reading.js';
import { type RedactClass, type RedactRule, RULES } from './redact-rules.js';
import { valueEnd } from './redact-values.js';

/** A stretch of text to mask: `start` inclusive, `end` exclusive, in UTF-16 units. */
export interface Finding {
  readonly class: RedactClass;
  readonly start: number;
  readonly end: number;
}

/** How much was done for one text: rules tried and characters they read. Grows with the text and no faster. */
export interface ScanWork {
  tried: number;
  read: number;
}

interface Scan {
  readonly text: string;
  readonly found: Finding[];
  /** Per rule, where it may look again. */
  readonly resume: number[];
  readonly work: ScanWork;
}

const rulesByNeedle = (): ReadonlyMap<string, readonly number[]> => {
  const byNeedle = new Map<string, number[]>();
  RULES.forEach((rule, index) => {
    for (const needle of rule.needles) {
      const key = needle.toLowerCase();
      byNeedle.set(key, [...(byNeedle.get(key) ?? []), index]);
    }
  });
  return byNeedle;
};

const BY_NEEDLE = rulesByNeedle();
const escaped = (needle: string): string => needle.replace(/[/.\\]/g, '\\$&');
const NEEDLES = new RegExp([...BY_NEEDLE.keys()].map(escaped).join('|'), 'gi');

/** Every finding of every rule, in no particular order and possibly overlapping. */
export const scan = (text: string, work: ScanWork = { tried: 0, read: 0 }): readonly Finding[] => {
  NEEDLES.lastIndex = 0;
  let hit = NEEDLES.exec(text);
  if (hit === null) return [];
  const state: Scan = { text, found: [], resume: RULES.map(() => 0), work };
  for (; hit !== null; hit = NEEDLES.exec(text)) {
    for (const index of BY_NEEDLE.get(hit[0].toLowerCase()) ?? []) tryRule(state, index, hit[0], hit.index);
    NEEDLES.lastIndex = hit.index + 1;
  }
  return state.found;
};

const tryRule = (state: Scan, index: number, needle: string, at: number): void => {
  const rule = RULES[index];
  if (rule === undefined || at < (state.resume[index] ?? 0) || !needleFits(rule, state.text, needle, at)) return;
  state.work.tried += 1;
  const until = rule.value.kind === 'basic-auth' ? findPasswords(state, rule, at) : findValue(state, rule, needle, at);
  state.work.read += until - at;
  state.resume[index] = until;
};

const needleFits = (rule: RedactRule, text: string, needle: string, at: number): boolean =>
  (rule.anyCase || rule.needles.includes(needle)) && (!rule.wordStart || startsWord(text, at));

const findPasswords = (state: Scan, rule: RedactRule, at: number): number => {
  const { passwords, until } = basicAuth(state.text, at);
  for (const [start, end] of passwords) state.found.push({ class: rule.class, start, end });
  return until;
};

/** Returns where the rule may look again. */
const findValue = (state: Scan, rule: RedactRule, needle: string, at: number): number => {
  const { text, found } = state;
  const start = rule.head === undefined ? at + needle.length : patternEnd(rule.head, text, at);
  if (start === undefined || (rule.unless !== undefined && patternEnd(rule.unless, text, at) !== undefined)) return at;
  const end = valueEnd(rule.value, text, start);
  if (end < 0) return noValueUntil(end);
  found.push({ class: rule.class, start: rule.keepsHead ? start : at, end });
  return end;
};
