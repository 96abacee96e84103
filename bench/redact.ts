// How fast the redactor reads ordinary transcripts, and how slow the worst line can make it (SPEC-0030 REQ-6).
import { utf8Length } from '../src/core/kernel/text.js';
import { redact } from '../src/core/untrusted/redact.js';
import { redactJson } from '../src/core/untrusted/redact-json.js';
import { LINE_START, redactLine } from '../src/core/untrusted/redact-lines.js';
import { type Dice, diceOf, HEX } from '../test/untrusted/dice.js';
import { filledWith, HOSTILE_UNITS } from '../test/untrusted/hostile-lines.js';
import { NEGATIVE_KINDS } from '../test/untrusted/negatives.js';
import { type BenchRow, median, round, timeEach } from './row.js';

const MB = 1_000_000;
const MIB = 1 << 20;
const TRANSCRIPT_BYTES = 20 * MB;
const LINE_BYTES = 16 * MIB;
const PROBE_BYTES = MIB;
const WORST_KEPT = 4;
/** The median of five leaves out the first rounds, in which the engine still compiles. */
const ROUNDS = 5;
const GOAL_MB_PER_SECOND = 50;
const GOAL_JSON_MB_PER_SECOND = 25;
const GOAL_LINE_SECONDS = 2;

export const redactBench = async (): Promise<readonly BenchRow[]> => {
  const lines = transcript();
  return [await plainLines(lines), await jsonLines(lines), await worstLine()];
};

/** The time of reading every character once: what no redactor can beat by much. */
const plainPass = (text: string): number => (PLAIN.test(text) ? 1 : 0);
const PLAIN = /[0-9]{9}Z/;

const plainLines = async (lines: readonly string[]): Promise<BenchRow> => {
  const bytes = bytesOf(lines);
  const took = median(await timeEach(ROUNDS, () => lines.reduce((state, line) => redactLine(state, line).state, LINE_START)));
  const floor = median(await timeEach(ROUNDS, () => lines.reduce((found, line) => found + plainPass(line), 0)));
  const speed = bytes / 1000 / took;
  return {
    name: 'redact lines',
    work: `${round(bytes / MB)} MB of transcript, line by line; floor: one pattern over the same lines`,
    value: round(speed),
    unit: 'MB/s',
    floor: round(bytes / 1000 / floor),
    ratio: round(took / floor),
    goal: `≥ ${GOAL_MB_PER_SECOND} MB/s`,
    ok: speed >= GOAL_MB_PER_SECOND,
  };
};

const jsonLines = async (lines: readonly string[]): Promise<BenchRow> => {
  const bytes = bytesOf(lines);
  const took = median(
    await timeEach(ROUNDS, () => lines.reduce((size, line) => size + JSON.stringify(redactJson(JSON.parse(line))).length, 0)),
  );
  const floor = median(await timeEach(ROUNDS, () => lines.reduce((size, line) => size + JSON.stringify(JSON.parse(line)).length, 0)));
  const speed = bytes / 1000 / took;
  return {
    name: 'redact json',
    work: `${round(bytes / MB)} MB of transcript, decoded and encoded; floor: the same without redacting`,
    value: round(speed),
    unit: 'MB/s',
    floor: round(bytes / 1000 / floor),
    ratio: round(took / floor),
    goal: `≥ ${GOAL_JSON_MB_PER_SECOND} MB/s`,
    ok: speed >= GOAL_JSON_MB_PER_SECOND,
  };
};

/** All hostile fillings are tried short; the slowest are then measured whole. */
const worstLine = async (): Promise<BenchRow> => {
  const probed: { unit: string; took: number }[] = [];
  for (const unit of HOSTILE_UNITS) probed.push({ unit, took: await secondsFor(unit, PROBE_BYTES, 1) });
  const slowest = probed.sort((a, b) => b.took - a.took).slice(0, WORST_KEPT);
  let worst = { unit: '', took: 0 };
  for (const { unit } of slowest) {
    const took = await secondsFor(unit, LINE_BYTES, ROUNDS);
    if (took > worst.took) worst = { unit, took };
  }
  const line = lineOf(worst.unit, LINE_BYTES);
  const floor = median(await timeEach(ROUNDS, () => plainPass(line))) / 1000;
  return {
    name: 'redact worst line',
    work: `16 MiB of ${JSON.stringify(worst.unit)}, the slowest of ${HOSTILE_UNITS.length} fillings; floor: one pattern over it`,
    value: round(worst.took),
    unit: 's',
    floor: round(floor),
    ratio: round(worst.took / floor),
    goal: `< ${GOAL_LINE_SECONDS} s`,
    ok: worst.took < GOAL_LINE_SECONDS,
  };
};

const lineOf = (unit: string, bytes: number): string => filledWith(unit, Math.floor((bytes * unit.length) / utf8Length(unit)));

const secondsFor = async (unit: string, bytes: number, rounds: number): Promise<number> => {
  const line = lineOf(unit, bytes);
  return median(await timeEach(rounds, () => redact(line).charCodeAt(0))) / 1000;
};

const bytesOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + utf8Length(line), 0);

/** What claude and codex print, with ordinary text in it: prose, code, listings, ids and counters. */
const transcript = (): readonly string[] => {
  const dice = diceOf(20_260_101);
  const lines: string[] = [];
  for (let bytes = 0; bytes < TRANSCRIPT_BYTES; ) {
    const line = JSON.stringify(dice.pick(EVENTS)(dice));
    bytes += line.length;
    lines.push(line);
  }
  return lines;
};

const text = (dice: Dice, most: number): string =>
  Array.from({ length: dice.between(1, most) }, () => dice.pick(NEGATIVE_KINDS).line(dice)).join('\n');
const usage = (dice: Dice) => ({
  input_tokens: dice.below(9999),
  cache_read_input_tokens: dice.below(99_999),
  output_tokens: dice.below(999),
});

const EVENTS: readonly ((dice: Dice) => unknown)[] = [
  (dice) => ({
    type: 'assistant',
    message: {
      id: `msg_${dice.text(HEX, 24)}`,
      model: 'claude-sonnet',
      content: [{ type: 'text', text: text(dice, 12) }],
      usage: usage(dice),
    },
    session_id: dice.text(HEX, 32),
  }),
  (dice) => ({
    type: 'assistant',
    message: {
      content: [{ type: 'tool_use', id: `toolu_${dice.text(HEX, 24)}`, name: 'Bash', input: { command: text(dice, 2) } }],
      usage: usage(dice),
    },
    session_id: dice.text(HEX, 32),
  }),
  (dice) => ({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${dice.text(HEX, 24)}`, content: text(dice, 80), is_error: false }],
    },
    session_id: dice.text(HEX, 32),
  }),
  (dice) => ({
    type: 'item.completed',
    item: {
      id: `item_${dice.below(999)}`,
      type: 'command_execution',
      command: text(dice, 1),
      aggregated_output: text(dice, 60),
      exit_code: 0,
      status: 'completed',
    },
  }),
  (dice) => ({ type: 'item.completed', item: { id: `item_${dice.below(999)}`, type: 'agent_message', text: text(dice, 8) } }),
  (dice) => ({ type: 'turn.completed', usage: usage(dice) }),
];
