// The definitions of the service as they are written: read them before blessing. What a reader of theirs makes of them is checked
// where there is one.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderLaunchdPlist } from '../../src/cli/render/launchd-plist.js';
import { SERVICE_MARK, type ServiceDefinition } from '../../src/cli/render/service-definition.js';
import { renderSystemdUnit } from '../../src/cli/render/systemd-unit.js';
import { SERVICE_STOP_SECONDS, STOP_GRACE_MS } from '../../src/cli/stop-grace.js';
import { goldenCases } from '../support/golden.js';

const cases = goldenCases('service');

describe.each(cases.names)('%s', (name) => {
  const definition = cases.input<ServiceDefinition>(name, 'definition.json');

  test('systemd', () => cases.hold(name, 'harness.service', renderSystemdUnit(definition)));

  test('launchd', () => cases.hold(name, 'harness.daemon.plist', renderLaunchdPlist(definition)));

  test('both can be told for ours', () => {
    for (const text of [renderSystemdUnit(definition), renderLaunchdPlist(definition)]) expect(text).toContain(SERVICE_MARK);
  });
});

test('the service waits longer for a stop than a run may take to end', () => {
  expect(SERVICE_STOP_SECONDS * 1_000).toBeGreaterThan(2 * STOP_GRACE_MS);
});

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.runIf(hasAnalyze)('systemd itself', () => {
  test('has nothing to say about the unit', () => {
    const dir = mkdtempSync(join(tmpdir(), 'hrn-unit-'));
    const program = join(dir, 'a node with 100% $pace');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const file = join(dir, 'harness.service');
    const argv = [program, `${dir}/ha"rness.js`, 'daemon', '--config', '/tmp/with $HOME and %h'] as const;
    writeFileSync(
      file,
      renderSystemdUnit({ argv, environment: { PATH: '/bin', ODD: 'a "b" \\ 50% $x' }, outputFile: '', stopSeconds: 45 }),
    );
    const env = { ...process.env, XDG_RUNTIME_DIR: dir };
    const verdict = spawnSync('systemd-analyze', ['--user', 'verify', file], { encoding: 'utf8', env });
    expect([verdict.status, verdict.stderr]).toEqual([0, '']);
    rmSync(dir, { recursive: true });
  });
});

const hasPlutil = spawnSync('plutil', ['-help']).status === 0;

describe.runIf(hasPlutil)('macOS itself', () => {
  test.each(cases.names)('reads the agent of %s', (name) => {
    const text = renderLaunchdPlist(cases.input<ServiceDefinition>(name, 'definition.json'));
    expect(execFileSync('plutil', ['-lint', '-'], { input: text, encoding: 'utf8' })).toContain('OK');
  });
});
