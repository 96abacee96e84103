// The wrapper's law: after the preamble every line is a header the renderer wrote or a quoted line; content can forge neither.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeBriefing } from '../../src/core/briefing/compose.js';
import { utf8Length } from '../../src/core/kernel/text.js';
import { composeRecall } from '../../src/core/recall/compose.js';
import { PREAMBLE } from '../../src/core/untrusted/data-wrapper.js';
import { encodePart, truncateText } from '../../src/core/untrusted/wrapped-item.js';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { item, nastyText, snapshot } from '../support/arbitraries.js';

const HEADER = /^[a-z_]+:( |$)/;
const QUOTED = /^> /;

const stray = (text: string): readonly string[] =>
  text
    .slice(PREAMBLE.length)
    .split('\n')
    .filter((line) => !HEADER.test(line) && !QUOTED.test(line));

describe('the data wrapper', () => {
  test('has the fixed preamble', () => {
    expect(sha256Hex(PREAMBLE)).toBe('12f4c129eaedb93aa4bbcbc28adaa3c16be08388c9713eb683e3d6213665af06');
  });

  test('leaves no line that is neither header nor quote, and quotes as many lines as the items have', () => {
    fc.assert(
      fc.property(fc.array(item('episode'), { maxLength: 6 }), (episodes) => {
        const { text, structured } = composeRecall({ scope: 'project:a/b/c', facts: [], episodes, recent_runs: [], withheld: 0 });
        expect(stray(text)).toEqual([]);
        const kept = structured.sections[1]?.items as { text: string }[];
        const quoted = text.split('\n').filter((line) => QUOTED.test(line));
        expect(quoted).toEqual(kept.flatMap((one) => one.text.split('\n').map((line) => `> ${line}`)));
      }),
    );
    fc.assert(
      fc.property(snapshot, (given) => {
        expect(stray(composeBriefing(given).text)).toEqual([]);
      }),
    );
  });

  test('says every footer line once, at the end', () => {
    fc.assert(
      fc.property(fc.array(item('fact'), { maxLength: 4 }), (facts) => {
        const lines = composeRecall({ scope: 'fleet', facts, episodes: [], recent_runs: [], withheld: 1 }).text.split('\n');
        expect(lines.filter((line) => line.startsWith('omitted: '))).toHaveLength(1);
        expect(lines.at(-1)).toBe('withheld: 1');
      }),
    );
  });

  test('keeps item text within 1024 bytes on a character boundary', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const short = truncateText(text.toWellFormed());
        expect(utf8Length(short)).toBeLessThanOrEqual(1_024);
        expect(short.isWellFormed()).toBe(true);
        if (utf8Length(text.toWellFormed()) <= 1_024) expect(short).toBe(text.toWellFormed());
        else expect(short.endsWith('[truncated]')).toBe(true);
      }),
    );
  });

  test('encodes a part so that it has no white space and can be read back', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const part = encodePart(text);
        expect(part).not.toMatch(/\s/);
        expect(part).not.toBe('');
      }),
    );
    expect(encodePart('a b%')).toBe('a%20b%25');
    expect(encodePart('')).toBe('-');
  });
});
