// Measures the redactor on secrets of every class and on text without any, and holds docs/redaction.md to the figures.
// BLESS=1 writes the table.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findings, redact } from '../../src/core/untrusted/redact.js';
import { CLASS_NAMES, RULES_VERSION } from '../../src/core/untrusted/redact-rules.js';
import { diceOf } from './dice.js';
import { NEGATIVE_KINDS, negativeLines } from './negatives.js';
import { SECRET_SHAPES } from './secrets.js';
import { SURROUNDINGS } from './surroundings.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = join(ROOT, 'docs/redaction.md');
const SECRETS_PER_PLACE = 12;
const LINES_PER_KIND = 3_000;
const GOAL = 0.001;

interface Score {
  readonly masked: number;
  readonly of: number;
}

/** Positives of one class: every shape in every surrounding. */
const positives = (cls: number): Score => {
  const dice = diceOf(cls + 1);
  let masked = 0;
  let of = 0;
  for (const shape of SECRET_SHAPES.filter((one) => one.class === cls)) {
    for (const { around } of SURROUNDINGS) {
      for (let n = 0; n < SECRETS_PER_PLACE; n += 1) {
        const { text, secret, label } = shape.make(dice);
        const redacted = redact(around(text));
        of += 1;
        if (!redacted.includes(secret) && redacted.includes(label)) masked += 1;
      }
    }
  }
  return { masked, of };
};

/** Lines of each kind that some rule of a class touched. */
const touchedLines = (lines: readonly string[]): ReadonlyMap<number, number> => {
  const touched = new Map<number, number>();
  for (const line of lines) {
    for (const cls of new Set(findings(line).map((finding) => finding.class))) touched.set(cls, (touched.get(cls) ?? 0) + 1);
  }
  return touched;
};

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|md|mjs|sql|proto)$/.test(name))
    .map((name) => join(ROOT, folder, name));

/** This project's own code and documents, without what is about secrets: the redactor, its page and the tests. */
const ownLines = (): readonly string[] => {
  const files = ['src', 'docs', 'proto', 'scripts']
    .flatMap(filesUnder)
    .filter((file) => file !== PAGE && !file.includes('/core/untrusted/'));
  return [...files, join(ROOT, 'package-lock.json')].flatMap((file) => readFileSync(file, 'utf8').split('\n'));
};

const NEGATIVES = NEGATIVE_KINDS.map((kind) => ({ name: kind.name, lines: negativeLines(kind, LINES_PER_KIND) }));
const ALL_LINES = NEGATIVES.flatMap(({ lines }) => lines);
const touched = (lines: readonly string[]): number => lines.filter((line) => redact(line) !== line).length;
const ownShare = (): number => touched(ownLines()) / ownLines().length;
const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;
const count = (value: number): string => value.toLocaleString('en-US');

const classTable = (): readonly string[] => {
  const byClass = touchedLines(ALL_LINES);
  return CLASS_NAMES.map((name, cls) => {
    const { masked, of } = positives(cls);
    const left = ALL_LINES.length - (byClass.get(cls) ?? 0);
    return `| ${cls} | ${name} | ${count(masked)} / ${count(of)} | ${share(masked, of)} | ${count(left)} / ${count(ALL_LINES.length)} |`;
  });
};

const kindTable = (): readonly string[] => [
  ...NEGATIVES.map(({ name, lines }) => `| ${name} | ${count(lines.length)} | ${share(touched(lines), lines.length)} |`),
  `| all of these | ${count(ALL_LINES.length)} | ${share(touched(ALL_LINES), ALL_LINES.length)} |`,
  // The project's text changes with every commit, so the page names the side of the goal it is on.
  `| this project's code and documents | all | ${ownShare() < GOAL ? 'under 0.1 %' : '0.1 % or more'} |`,
];

const table = (): string =>
  [
    `Rules version ${RULES_VERSION}.`,
    '',
    '| class | what it masks | masked / secrets | share | left alone / lines without a secret |',
    '|---|---|---|---|---|',
    ...classTable(),
    '',
    '| text without a secret | lines | lines touched |',
    '|---|---|---|',
    ...kindTable(),
  ].join('\n');

const BETWEEN = /(<!-- measured -->\n)[\s\S]*?(\n<!-- end of measured -->)/;

describe('the redactor on its corpora', () => {
  const measured = table();

  test('docs/redaction.md shows what was measured', () => {
    const page = readFileSync(PAGE, 'utf8');
    if (process.env['BLESS'] === '1')
      writeFileSync(
        PAGE,
        page.replace(BETWEEN, (_, before: string, after: string) => before + measured + after),
      );
    expect(BETWEEN.exec(readFileSync(PAGE, 'utf8'))?.[0]).toBe(`<!-- measured -->\n${measured}\n<!-- end of measured -->`);
  });

  test.each(CLASS_NAMES.map((name, cls) => [cls, name] as const))('class %i (%s) masks every secret', (cls) => {
    const { masked, of } = positives(cls);
    expect(of).toBeGreaterThanOrEqual(200);
    expect(masked).toBe(of);
  });

  test('touches fewer than one in a thousand of the generated lines', () => {
    expect(ALL_LINES.length).toBeGreaterThanOrEqual(20_000);
    expect(touched(ALL_LINES) / ALL_LINES.length).toBeLessThan(GOAL);
  });

  test("touches fewer than one in a thousand of this project's own lines", () => {
    expect(ownLines().length).toBeGreaterThan(5_000);
    expect(ownShare()).toBeLessThan(GOAL);
  });
});
