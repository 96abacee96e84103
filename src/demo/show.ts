// The demonstration: a daemon, a repository, two runs of the demonstration agent, and what Harness then knows of them.
// Everything goes through the installed binary, as a user's own work would.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_REPO, makeDemoRepository } from './repository.js';

export interface ShowOptions {
  /** The CLI's own script, and the demonstration agent beside it. */
  readonly cli: string;
  readonly agent: string;
  readonly print: (text: string) => void;
  readonly progress: (text: string) => void;
  /** Leave the temporary directory in place. */
  readonly keep: boolean;
}

const START_TRIES = 100;
const START_POLL_MS = 100;

/** Runs the show; rejects when a step fails. The daemon and its state are gone afterwards. */
export const showDemo = async (options: ShowOptions): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'harness-demo-'));
  chmodSync(root, 0o700);
  const repository = join(root, 'api');
  const config = join(root, 'harness.toml');
  const env = { ...process.env, XDG_STATE_HOME: join(root, 'state'), XDG_RUNTIME_DIR: root, HARNESS_CONFIG: config, HARNESS_SOCKET: '' };
  const harness = (...args: readonly string[]): Promise<string> => runCli(options.cli, args, env);
  let daemon: ChildProcess | undefined;
  try {
    options.progress('making a git repository with a failing test');
    makeDemoRepository(repository);
    writeFileSync(config, demoConfig(repository, options.agent));
    options.progress('starting the daemon');
    daemon = spawn(process.execPath, [options.cli, 'daemon'], { env, stdio: 'ignore' });
    await untilAnswered(() => harness('status'));
    options.progress('run 1: an agent looks at a flaky test');
    await harness('trigger', 'fix-flaky', '--wait');
    options.progress('run 2: an agent mends the rounding');
    await harness('trigger', 'fix-rounding', '--wait');
    options.progress('waiting for the episodes');
    const episodes = await untilAnswered(() => harness('memory', 'episodes', '--json').then(twoEpisodes));
    await showAll(options, harness, episodes);
  } finally {
    if (daemon !== undefined) await stop(daemon);
    if (!options.keep) rmSync(root, { recursive: true, force: true });
  }
  options.print(nextSteps(options.keep ? root : undefined));
};

type Harness = (...args: readonly string[]) => Promise<string>;

const showAll = async ({ print }: ShowOptions, harness: Harness, flaky: string): Promise<void> => {
  const section = async (title: string, ...args: readonly string[]): Promise<void> => {
    print(`\n── ${title}\n$ harness ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}\n${await harness(...args)}`);
  };
  await section('The ledger: every run has a record', 'runs');
  await section('The episode of run 1: assembled by code, its token masked', 'memory', 'episodes', flaky);
  await section('What an agent in this repository recalls', 'memory', 'recall', 'flaky ledger test', '--repo', DEMO_REPO);
  await section('What the next run would be told', 'memory', 'briefing', 'fix-flaky');
};

const twoEpisodes = (json: string): string => {
  const { episodes } = JSON.parse(json) as { episodes: readonly { episode_id: string; harness: string }[] };
  const flaky = episodes.find((episode) => episode.harness === 'fix-flaky');
  if (episodes.length < 2 || flaky === undefined) throw new Error('the episodes are not stored yet');
  return flaky.episode_id;
};

const demoConfig = (repository: string, agent: string): string => {
  const harness = (name: string, prompt: string): string =>
    `[harness.${name}]\nharness = "demo"\nworkdir = ${JSON.stringify(repository)}\nprompt = ${JSON.stringify(prompt)}\ntimeout = "1m"\n`;
  return [
    '[adapter.demo]',
    'extends = "claude-code"',
    `executable = ${JSON.stringify(process.execPath)}`,
    `one_shot = [${[agent, '--session-id', '{{session_id}}', '--', '{{prompt}}'].map((part) => JSON.stringify(part)).join(', ')}]`,
    '',
    harness('fix-flaky', 'Find out why the ledger test is flaky.'),
    harness('fix-rounding', 'Mend the rounding of the ledger.'),
  ].join('\n');
};

const nextSteps = (kept: string | undefined): string =>
  [
    '\n── Go on with your own agent',
    'harness init                      write a commented harness.toml',
    'harness config check              see whether it loads',
    'harness daemon                    run the daemon (leave it running)',
    'harness trigger NAME --wait       run one of your harnesses',
    'harness memory recall "…" --as NAME',
    ...(kept === undefined ? [] : [`(the demonstration's files are in ${kept})`]),
  ].join('\n');

const untilAnswered = async <A>(ask: () => Promise<A>): Promise<A> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries >= START_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, START_POLL_MS));
    }
  }
};

const runCli = (cli: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [cli, ...args], { env, maxBuffer: 16 * 1_024 * 1_024 }, (error, stdout, stderr) => {
      // A run that failed its tests is part of the show; a command that could not be carried out is not.
      if (error !== null && stdout === '') reject(new Error(`harness ${args.join(' ')}: ${stderr.trim()}`));
      else resolve(stdout.trimEnd());
    });
  });

const stop = (daemon: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (daemon.exitCode !== null) return resolve();
    daemon.once('exit', () => resolve());
    daemon.kill('SIGTERM');
  });
