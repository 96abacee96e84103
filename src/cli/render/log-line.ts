// A line of the daemon's log for people: when, how bad, what, and its fields by name.
import { stripControls } from '../../core/kernel/text.js';
import { renderMoment } from './moment.js';
import { forTerminal } from './terminal.js';

interface Level {
  readonly word: string;
  readonly color: string;
}

const LEVELS: Readonly<Record<number, Level>> = {
  30: { word: 'info ', color: '' },
  40: { word: 'warn ', color: '\u001b[33m' },
  50: { word: 'error', color: '\u001b[31m' },
};
const PLAIN: Level = { word: '     ', color: '' };
const RESET = '\u001b[0m';

/** A line that is no entry of ours is shown as it is, save for what would steer a terminal. */
export const renderLogLine = (line: string, color: boolean): string => {
  const entry = decoded(line);
  if (entry === undefined) return forTerminal(line);
  const { level, time, msg, ...fields } = entry;
  const { word, color: code } = LEVELS[Number(level)] ?? PLAIN;
  const told = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const shade = color && code !== '' ? [code, RESET] : ['', ''];
  return `${renderMoment(String(time))} ${shade[0]}${word} ${[forTerminal(String(msg)), ...told].join(' ')}${shade[1]}`;
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return forTerminal(typeof value === 'string' && !/^[^\s"=]+$/.test(text) ? JSON.stringify(text) : stripControls(text));
};

const decoded = (line: string): Record<string, unknown> | undefined => {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    return typeof value === 'object' && value !== null && typeof value['time'] === 'string' && 'msg' in value ? value : undefined;
  } catch {
    return undefined;
  }
};
