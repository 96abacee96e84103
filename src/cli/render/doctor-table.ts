// A doctor's report for people: a row a check within 80 columns, what to do about it below, the count at the end.
import type { CheckRow, Report, Verdict } from '../../core/doctor/report.js';
import { counted } from '../../core/doctor/report.js';
import { forTerminal } from './terminal.js';

const COLUMNS = 80;
const RESET = '\u001b[0m';

const MARKS: Readonly<Record<Verdict, { readonly glyph: string; readonly color: string }>> = {
  ok: { glyph: '✓', color: '\u001b[32m' },
  warn: { glyph: '⚠', color: '\u001b[33m' },
  error: { glyph: '✗', color: '\u001b[31m' },
  info: { glyph: '•', color: '\u001b[2m' },
};

const STATUS_WIDTH = Math.max(...Object.keys(MARKS).map((word) => word.length)) + 2;

export interface DoctorStyle {
  readonly color: boolean;
  /** Shown as `~` in details, never in what is to be pasted. */
  readonly home: string;
}

export const renderReport = ({ checks, summary }: Report, style: DoctorStyle): string => {
  const width = Math.max('CHECK'.length, ...checks.map(({ name }) => name.length));
  const head = `${'CHECK'.padEnd(width)}  ${'STATUS'.padEnd(STATUS_WIDTH)}  DETAIL`;
  return [head, ...checks.flatMap((check) => renderRow(check, width, style)), '', renderSummary(summary)].join('\n');
};

/** `14 passed · 1 warning · 0 failed`. */
export const renderSummary = ({ passed, warned, failed }: Report['summary']): string =>
  `${passed} passed · ${counted(warned, 'warning')} · ${failed} failed`;

const renderRow = ({ status, name, detail, hint }: CheckRow, width: number, { color, home }: DoctorStyle): readonly string[] => {
  const mark = MARKS[status];
  const word = `${mark.glyph} ${status}`.padEnd(STATUS_WIDTH);
  const margin = ' '.repeat(width + STATUS_WIDTH + 4);
  const [first = '', ...more] = wrap(forTerminal(shortened(detail, home)), COLUMNS - margin.length);
  return [
    `${name.padEnd(width)}  ${color ? `${mark.color}${word}${RESET}` : word}  ${first}`,
    ...more.map((line) => `${margin}${line}`),
    ...(hint === undefined ? [] : [`${margin}→ ${forTerminal(hint)}`]),
  ];
};

const shortened = (text: string, home: string): string => (home === '' || home === '/' ? text : text.replaceAll(`${home}/`, '~/'));

/** Words are never cut: a path stays one that can be copied. */
const wrap = (text: string, columns: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if ([...longer].length > columns && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
};
