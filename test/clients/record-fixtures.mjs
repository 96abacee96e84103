// Records what the real clients print and keep: `node record-fixtures.mjs [CLIENT [CASE]]` drives each case of cases.mjs against the
// scripted model server and writes test/fixtures/traces/CLIENT/CASE. Linux, as root: it mounts an empty /srv for itself alone.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startModelServer } from '../support/model-server/main.mjs';
import { claudeCases, codexCases, WORKDIR } from './cases.mjs';
import { claudeArgs, claudeBinary, claudeEnv, codexArgs, codexBinary, codexEchoFlags, codexEnv, echoMcp, loopback } from './clients.mjs';
import { scrubRows } from './scrub.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const traces = join(here, '..', 'fixtures', 'traces');

const SESSION = '5e551011-0000-4000-8000-000000000001';
const PROMPT = 'Fix the failing test.';
const KILL_AFTER_MS = 500;
const COMMIT_DATES = { GIT_AUTHOR_DATE: '2026-01-05T08:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T08:00:00Z' };

/** @typedef {import('./cases.mjs').Case} Case */

const recordAll = async () => {
  const [onlyClient, onlyCase] = process.argv.slice(3);
  for (const [client, cases] of Object.entries({ 'claude-code': claudeCases, codex: codexCases })) {
    for (const [name, run] of Object.entries(cases)) {
      if ((onlyClient ?? client) === client && (onlyCase ?? name) === name) await record(client, name, run);
    }
  }
};

/** @param {string} client @param {string} name @param {Case} run */
const record = async (client, name, run) => {
  const home = freshRepository();
  const server = await startModelServer(run.script, run.servedModel === undefined ? {} : { servedModel: run.servedModel });
  const launch = client === 'codex' ? launchCodex(server.url, home, run) : launchClaude(server.url, home, run);
  const { stdout, code } = await drive(launch, run.killAt);
  await server.close();
  const out = join(traces, client, name);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const files = { 'stream.jsonl': stdout, ...(client === 'codex' ? rollouts(home) : transcripts(home)) };
  for (const [file, text] of Object.entries(scrubRows(files))) writeFileSync(join(out, file), text);
  process.stdout.write(`${client}/${name}: exit ${code}, ${server.requests.length} requests, ${Object.keys(files).join(', ')}\n`);
};

/** @param {string} url @param {string} home @param {Case} run */
const launchClaude = (url, home, { prompt = PROMPT, model, retries, mcp }) => ({
  command: claudeBinary,
  args: claudeArgs({
    prompt,
    session: SESSION,
    ...(model === undefined ? {} : { model }),
    ...(mcp ? { mcpConfig: JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [echoMcp] } } }) } : {}),
  }),
  env: claudeEnv({ url, home, ...(retries === undefined ? {} : { retries }) }),
});

/** @param {string} url @param {string} home @param {Case} run */
const launchCodex = (url, home, { prompt = PROMPT, model, retries, mcp }) => ({
  command: codexBinary,
  args: codexArgs({ prompt, flags: mcp ? codexEchoFlags : [] }),
  env: codexEnv({ url, home, ...(model === undefined ? {} : { model }), ...(retries === undefined ? {} : { retries }) }),
});

/**
 * @param {{ command: string, args: string[], env: Record<string, string> }} launch
 * @param {string | undefined} killAt
 * @returns {Promise<{ stdout: string, code: number | string }>}
 */
const drive = ({ command, args, env }, killAt) =>
  new Promise((ended) => {
    const child = spawn(command, args, { cwd: WORKDIR, env, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    let killed = false;
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (killAt === undefined || killed || !stdout.includes(killAt)) return;
      killed = true;
      setTimeout(() => child.kill('SIGTERM'), KILL_AFTER_MS);
    });
    child.on('close', (code, signal) => ended({ stdout, code: code ?? String(signal) }));
  });

/** A small repository whose test fails, in an empty /srv; gives the home directory. */
const freshRepository = () => {
  for (const entry of readdirSync('/srv')) rmSync(join('/srv', entry), { recursive: true, force: true });
  const home = '/srv/home/dev';
  for (const directory of [home, WORKDIR, '/srv/demo/shared']) mkdirSync(directory, { recursive: true });
  const files = {
    'calc.js': 'exports.add = (a, b) => a - b;\n',
    'test.js': "console.log('FAIL add(1, 2): expected 4');\nprocess.exit(1);\n",
    'package.json': '{ "name": "api", "version": "1.0.0", "scripts": { "test": "node test.js", "serve": "sleep 60" } }\n',
    '../shared/NOTES.md': 'Shared notes.\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(WORKDIR, file), text);
  const identity = ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.invalid'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...identity, 'commit', '-q', '-m', 'Start'],
  ]) {
    execFileSync('git', args, { cwd: WORKDIR, env: { PATH: process.env['PATH'] ?? '', HOME: home, ...COMMIT_DATES } });
  }
  return home;
};

/** @param {string} home */
const transcripts = (home) => {
  const folder = join(home, '.claude', 'projects', WORKDIR.replace(/[^a-zA-Z0-9]/g, '-'));
  const agents = filesUnder(folder).filter((file) => /subagents\/agent-[^/]*\.jsonl$/.test(file));
  const named = Object.fromEntries(agents.map((file, i) => [`transcript-agent-${i + 1}.jsonl`, readFileSync(file, 'utf8')]));
  return { 'transcript.jsonl': readFileSync(join(folder, `${SESSION}.jsonl`), 'utf8'), ...named };
};

/** The oldest rollout is the run's own; sub-agents have theirs. @param {string} home */
const rollouts = (home) => {
  const files = filesUnder(join(home, '.codex', 'sessions')).sort();
  return Object.fromEntries(files.map((file, i) => [i === 0 ? 'rollout.jsonl' : `rollout-agent-${i}.jsonl`, readFileSync(file, 'utf8')]));
};

/** @param {string} folder @returns {string[]} */
const filesUnder = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

/** Everything runs in a network of its own, with a /srv of its own, so that fixtures name no path of the machine. */
const INSIDE = '--inside';
if (process.argv[2] === INSIDE) await recordAll();
else {
  const script = 'mount -t tmpfs none /srv && exec "$@"';
  const inner = [process.execPath, fileURLToPath(import.meta.url), INSIDE, ...process.argv.slice(2)];
  execFileSync(loopback, ['unshare', '--mount', 'sh', '-c', script, 'record', ...inner], { stdio: 'inherit' });
}
