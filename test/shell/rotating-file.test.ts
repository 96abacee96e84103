// The daemon's log file: every line once and whole, whatever happens to the file, and never a failure of who writes.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLogFile, productionLog } from '../../src/shell/daemon/log.js';
import { openRotatingFile, type RotationRules, WAITING_BYTES } from '../../src/shell/files/rotating-file.js';

const SMALL: RotationRules = { maxBytes: 100, kept: 3, lost: (lines) => `lost ${lines}\n` };

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hrn-log-'));
  path = join(dir, 'daemon.log');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const read = (name: string): string => (existsSync(name) ? readFileSync(name, 'utf8') : '');
const all = (kept: number): string => [...Array.from({ length: kept }, (_, n) => `${path}.${kept - n}`), path].map(read).join('');

describe('a log file', () => {
  test('is private, and made so', () => {
    writeFileSync(path, 'before\n', { mode: 0o644 });
    const file = openRotatingFile(path, SMALL);
    file.write('after\n');
    file.close();
    expect([statSync(path).mode & 0o777, read(path)]).toEqual([0o600, 'before\nafter\n']);
  });

  test('is set aside before a line would make it too large; the oldest go', () => {
    const file = openRotatingFile(path, SMALL);
    for (let n = 0; n < 50; n += 1) file.write(`line ${n} ${'x'.repeat(20)}\n`);
    file.close();
    expect(readdirSync(dir).sort()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2', 'daemon.log.3']);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(SMALL.maxBytes);
    expect(
      all(3)
        .match(/^line \d+/gm)
        ?.at(-1),
    ).toBe('line 49');
    expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
  });

  test('law: no line is lost, torn or out of order, wherever somebody moves or removes the file', () => {
    const step = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 150 }) }, { weight: 1, arbitrary: fc.constant('move') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        rmSync(dir, { recursive: true });
        mkdirSync(dir);
        const file = openRotatingFile(path, { ...SMALL, kept: 100 });
        const taken: string[] = [];
        const written: string[] = [];
        for (const [index, what] of steps.entries()) {
          if (what === 'move') {
            taken.push(all(100));
            for (const name of readdirSync(dir)) rmSync(join(dir, name));
          } else {
            const line = `${index} ${'x'.repeat(Number(what))}\n`;
            written.push(line);
            file.write(line);
          }
        }
        file.close();
        expect(taken.join('') + all(100)).toBe(written.join(''));
      }),
    );
  });

  test('moved away by somebody else, what they hold is not renamed over', () => {
    const file = openRotatingFile(path, SMALL);
    file.write('first\n');
    renameSync(path, `${path}.mine`);
    file.write('second\n');
    file.close();
    expect([read(`${path}.mine`), read(path), existsSync(`${path}.1`)]).toEqual(['first\n', 'second\n', false]);
  });

  test('that cannot be opened is named; a device is not written to', () => {
    expect(() => openRotatingFile(dir, SMALL)).toThrow('it is no regular file');
    expect(() => openRotatingFile('/dev/null', SMALL)).toThrow('it is no regular file');
  });

  test.runIf(process.getuid?.() !== 0)('in a directory that may not be written is named', () => {
    chmodSync(dir, 0o500);
    expect(() => openRotatingFile(path, SMALL)).toThrow(/EACCES/);
  });

  test('holds what pino writes, line by line, at once', () => {
    const file = openLogFile(path);
    const log = productionLog(file);
    log.info({ event: 'daemon_stopping', signal: 'SIGTERM' });
    log.error({ event: 'daemon_refused', code: 'config_invalid', error: 'a\nb' });
    const lines = read(path).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['daemon_stopping', 'daemon_refused']);
    file.close();
  });
});

/** Mounting is Linux's and root's; elsewhere there is no disk to fill. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(canMount)('on a full disk', () => {
  const DISK_BYTES = 256 * 1_024;
  beforeEach(() => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', dir]);
  });
  afterEach(() => {
    execFileSync('umount', ['-l', dir]);
  });

  const fill = (): void => {
    try {
      writeFileSync(join(dir, 'ballast'), Buffer.alloc(2 * DISK_BYTES));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  };

  test('lines wait for room and come in order, none torn', () => {
    const file = openRotatingFile(path, { ...SMALL, maxBytes: DISK_BYTES });
    file.write('before\n');
    fill();
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n} ${'x'.repeat(200)}\n`);
    for (const line of lines) file.write(line);
    expect(read(path)).not.toContain('line 99');
    rmSync(join(dir, 'ballast'));
    file.write('after\n');
    file.close();
    expect(read(path)).toBe(['before\n', ...lines, 'after\n'].join(''));
  });

  test('what is more than may wait is counted, and the count is told', () => {
    const file = openRotatingFile(path, { ...SMALL, maxBytes: 4 * DISK_BYTES });
    fill();
    const line = `${'y'.repeat(1_023)}\n`;
    const waiting = WAITING_BYTES / line.length;
    for (let n = 0; n < waiting + 50; n += 1) file.write(line);
    rmSync(join(dir, 'ballast'));
    execFileSync('mount', ['-o', `remount,size=${8 * DISK_BYTES}`, dir]);
    file.write('after\n');
    file.close();
    const lost = /^lost (\d+)$/m.exec(read(path))?.[1];
    expect(Number(lost)).toBeGreaterThanOrEqual(40);
    expect(read(path).match(/^y{1023}$/gm)?.length).toBe(waiting + 50 - Number(lost));
    expect(read(path)).toMatch(/^lost \d+\nafter\n$/m);
  });

  test('a file that could not be opened at first is opened when there is room', () => {
    fill();
    execFileSync('mount', ['-o', 'remount,nr_inodes=2', dir]);
    const file = openRotatingFile(join(dir, 'later', 'daemon.log'), SMALL);
    file.write('first\n');
    execFileSync('mount', ['-o', 'remount,nr_inodes=100', dir]);
    rmSync(join(dir, 'ballast'));
    mkdirSync(join(dir, 'later'));
    file.write('second\n');
    file.close();
    expect(read(join(dir, 'later', 'daemon.log'))).toBe('first\nsecond\n');
  });
});
