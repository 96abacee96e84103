// The doctor's rules: nothing to say about what is well, one row for each condition, each warning and failure seen firing.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete.js';
import { renderReport } from '../../src/cli/render/doctor-table.js';
import { ALL_COMMANDS } from '../../src/cli/tree/all-commands.js';
import { diagnose } from '../../src/core/doctor/diagnose.js';
import type { DoctorFacts } from '../../src/core/doctor/facts.js';
import { type CheckRow, type Report, report } from '../../src/core/doctor/report.js';
import { roughly } from '../../src/core/doctor/spans.js';
import { isAtLeast, versionIn } from '../../src/core/doctor/versions.js';
import { shellLine } from '../../src/core/kernel/shell-line.js';
import { DAY, HOUR, MINUTE } from '../../src/core/kernel/time.js';
import { ALL_CASES, store } from '../support/doctor-cases.js';
import * as given from '../support/doctor-facts.js';
import { MEMORY_CASES, streak } from '../support/doctor-memory-cases.js';
import { goldenCases } from '../support/golden.js';
import { verifies } from '../support/verifies.js';

const { HEALTHY, NOW } = given;
const healthyRows = diagnose(HEALTHY).checks.map((row) => JSON.stringify(row));
/** The rows that are not there in good health. */
const found = (facts: DoctorFacts): readonly CheckRow[] =>
  diagnose(facts).checks.filter((row) => !healthyRows.includes(JSON.stringify(row)));

test('in good health nothing is warned about or noted', () => {
  const { checks, summary } = diagnose(HEALTHY);
  expect(checks.map(({ status, name }) => `${status} ${name}`)).toEqual([
    'ok node',
    'ok config',
    'ok daemon',
    'ok service',
    'ok state',
    'ok store',
    'ok claude-code',
    'ok schedules',
    'ok provider',
  ]);
  expect(summary).toEqual({ passed: 9, warned: 0, failed: 0 });
});

describe('one condition, one row', () => {
  test.each(ALL_CASES.map((each) => [each[0], each] as const))('%s', (_title, [, facts, status, name, detail, hint]) => {
    const row = { status, name, detail, ...(hint === undefined ? {} : { hint }) };
    expect(found(facts)).toContainEqual(row);
    const judged = found(facts).filter((each) => each.status !== 'ok');
    // A condition of a provider by another name changes the row that says it is well, and a broken file is two conditions.
    if (status !== 'ok' && !(name === 'reload' && facts.config.kind === 'invalid')) expect(judged).toEqual([row]);
  });

  test('an old check is a second row beside the figures', () => {
    const rows = found(store({ checked_at: NOW - 31 * DAY }));
    expect(rows.map(({ status, hint }) => [status, hint])).toEqual([
      ['ok', undefined],
      ['warn', 'harness store status --check'],
    ]);
  });
});

verifies(['SPEC-0030/REQ-19/s3'], 'the memory rows', () => {
  const provider = diagnose(HEALTHY).checks.find(({ name }) => name === 'provider');
  expect(provider).toEqual({ status: 'ok', name: 'provider', detail: 'builtin, contract 1, harness 0.1.0' });
  const told = MEMORY_CASES.flatMap(([, facts]) => found(facts).map(({ status, name }) => `${status} ${name}`));
  for (const row of ['error provider', 'warn records', 'warn forgets', 'warn recall', 'warn vectors', 'info provider'])
    expect(told).toContain(row);
  const short = [5 * MINUTE, 5 * MINUTE + 1].map((span) => given.memory({ state: { kind: 'unavailable', since: NOW - span, why: 'x' } }));
  expect(short.map((facts) => diagnose(facts).summary.failed)).toEqual([0, 1]);
  const young = given.memory({ pending_records: 3, oldest_record: HOUR, pending_forgets: 1, oldest_forget: HOUR });
  expect(found(young)).toEqual([]);
  expect(found(given.memory({ missing_vectors: 7 }))).toEqual([]);
  expect(found(given.harness({ memory_briefing: true }))).toEqual([{ status: 'info', name: 'briefing', detail: 'given to: triage' }]);
});

describe('no row where there is nothing to do', () => {
  test.each<[string, DoctorFacts]>([
    [
      'a harness that is not meant to be remembered',
      {
        ...streak('opted_out'),
        ...given.inside({ ...streak('opted_out').inside, fleet: { ...given.FLEET, harnesses: [{ ...given.HARNESS, remembered: false }] } }),
      },
    ],
    ['sessions of an operator', given.inside({ unattributed: { no_run: 4, claimed: 2 } })],
    ['a store nothing ran with', store({ runs: 0, backups: [] })],
    ['a client that accepts all, not as root', given.harness({ refuses_root: true })],
    ['a resident that was stopped', given.inside({ residents: [{ harness: 'watch', phase: 'stopped', failures: 0, holds: [] }] })],
    ['a briefing of just enough room', given.harness({ briefing_max_chars: 1_200 })],
  ])('%s', (_title, facts) => expect(found(facts)).toEqual([]));
});

describe('hints', () => {
  const OWN = /^harness (.*)$/;
  const hints = [...new Set(ALL_CASES.flatMap(([, , , , , hint]) => (hint ?? '').split(/ && |; /)))];

  test('are commands that exist, with flags that they take', () => {
    const own = hints.flatMap((hint) => OWN.exec(hint)?.[1] ?? []);
    expect(own.length).toBeGreaterThan(10);
    for (const line of own) {
      const words = line.split(' ');
      for (const [index, word] of words.entries()) {
        const { candidates, kind } = complete(ALL_COMMANDS, words.slice(0, index + 1));
        const known = candidates.some((candidate) => candidate.word === word) || kind !== undefined;
        expect([line, word, known]).toEqual([line, word, true]);
      }
    }
  });

  test('law: a path is one word for a shell, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' }), { minLength: 1 }), (words) => {
        const read = [...shellLine(words).matchAll(/(?:'(?:[^'])*'|\\'|[^\s'])+|''/g)].map(([word]) =>
          word.replace(/'((?:[^'])*)'/g, '$1').replaceAll("\\'", "'"),
        );
        expect(read.length).toBe(words.length);
      }),
    );
  });
});

test('law: the count is that of the rows, and notes do not count', () => {
  const row = fc.record({ status: fc.constantFrom('ok', 'warn', 'error', 'info' as const), name: fc.string(), detail: fc.string() });
  fc.assert(
    fc.property(fc.array(row), (checks) => {
      const { passed, warned, failed } = report(checks as CheckRow[]).summary;
      expect(passed + warned + failed).toBe(checks.filter(({ status }) => status !== 'info').length);
    }),
  );
});

describe('words', () => {
  test.each([
    ['2.1.332 (Claude Code)', '2.1.332'],
    ['codex-cli 0.160.0', '0.160.0'],
    ['v20.20', '20.20'],
    ['nothing', undefined],
  ])('the version in %j is %s', (text, version) => expect(versionIn(text)).toBe(version));

  test('law: at least is an order', () => {
    const version = fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(isAtLeast(a, a)).toBe(true);
        expect(isAtLeast(a, b) || isAtLeast(b, a)).toBe(true);
        if (isAtLeast(a, b) && isAtLeast(b, a)) expect(a).toBe(b);
      }),
    );
  });

  test.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [90 * MINUTE, '1 h'],
    [50 * HOUR, '2 d'],
  ])('%d ms are roughly %s', (span, text) => expect(roughly(span)).toBe(text));
});

describe('the table', () => {
  const goldens = goldenCases('doctor');
  const golden = (name: string, shown: Report): void =>
    goldens.hold(name, 'report.txt', `${renderReport(shown, { color: false, home: '/home/ada' })}\n`);

  test('of good health', () => golden('healthy', diagnose(HEALTHY)));

  test('of everything that can be wrong', () =>
    golden(
      'everything',
      report(ALL_CASES.map(([, , status, name, detail, hint]) => ({ status, name, detail, ...(hint === undefined ? {} : { hint }) }))),
    ));

  test('law: no line of a detail is over 80 columns unless one word is', () => {
    const { checks } = report(ALL_CASES.map(([, , status, name, detail]) => ({ status, name, detail })));
    const lines = renderReport({ checks, summary: diagnose(HEALTHY).summary }, { color: false, home: '' }).split('\n');
    for (const line of lines.filter((each) => [...each].length > 80)) expect(line.trim().split(/\s+/).length).toBeLessThanOrEqual(4);
  });

  test('colours the verdict alone', () => {
    const text = renderReport(diagnose(HEALTHY), { color: true, home: '' });
    expect(text).toContain('\u001b[32m✓ ok   \u001b[0m  20.20.2');
  });
});
