// Where the clients keep their transcripts: the place that tells stores apart, and the files of a working directory in it.
import { realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Family } from '../../../core/adapter/declaration.js';
import type { Environment } from '../../../core/run/environment.js';

/** The path of crush's database below the directory its client works in. */
const CRUSH_DATABASE = ['.crush', 'crush.db'];
/** A longer name of a project's directory is cut there and ends in a hash. */
const SLUG_MAX = 200;
/** Older rollouts are found only while they are being read. */
const ROLLOUT_DAYS = 3;

/** One string for all that write to the same place. Which of its directories is theirs, their sessions say. */
export const storeOf = (family: Family, env: Environment): string =>
  family === 'crush' ? family : `${family} ${realPath(family === 'codex' ? codexHome(env) : claudeHome(env))}`;

/** A client of this family may write the database of a directory above its own: it takes the closest there is. */
export const writesAbove = (family: Family): boolean => family === 'crush';

export const crushDatabase = (workdir: string): string => join(workdir, ...CRUSH_DATABASE);

/** Transcripts that sessions in a directory may have. */
export const transcriptsOf = (family: 'claude-code' | 'codex', env: Environment, workdir: string): Promise<readonly string[]> =>
  family === 'codex' ? rollouts(join(codexHome(env), 'sessions')) : claudeTranscripts(join(claudeHome(env), 'projects'), workdir);

const claudeTranscripts = async (projects: string, workdir: string): Promise<readonly string[]> => {
  const slug = workdir.replaceAll(/[^a-zA-Z0-9]/g, '-');
  const isLong = slug.length > SLUG_MAX;
  const names = isLong ? (await namesOf(projects)).filter((name) => name.startsWith(`${slug.slice(0, SLUG_MAX)}-`)) : [slug];
  const found: string[] = [];
  for (const name of names)
    for (const entry of await namesOf(join(projects, name))) if (entry.endsWith(ROWS)) found.push(join(projects, name, entry));
  return found;
};

const ROWS = '.jsonl';

/** The transcripts of the sub-agents that a session of claude's has had. */
export const agentsOf = async (transcript: string): Promise<readonly string[]> => {
  const below = join(transcript.slice(0, -ROWS.length), 'subagents');
  return (await namesOf(below)).filter((name) => name.startsWith('agent-') && name.endsWith(ROWS)).map((name) => join(below, name));
};

const rollouts = async (root: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const day of await newestDays(root))
    for (const name of await namesOf(day)) if (/^rollout-.*\.jsonl$/.test(name)) found.push(join(day, name));
  return found;
};

/** The rollout of a thread, if it is one of the last days. */
export const rolloutOf = async (env: Environment, thread: string): Promise<string | undefined> =>
  (await rollouts(join(codexHome(env), 'sessions'))).find((path) => path.endsWith(`${thread}.jsonl`));

/** `YYYY/MM/DD`, newest first. */
const newestDays = async (root: string): Promise<readonly string[]> => {
  const days: string[] = [];
  for (const year of await newestNames(root))
    for (const month of await newestNames(join(root, year)))
      for (const day of await newestNames(join(root, year, month))) {
        days.push(join(root, year, month, day));
        if (days.length === ROLLOUT_DAYS) return days;
      }
  return days;
};

const newestNames = async (directory: string): Promise<readonly string[]> =>
  (await namesOf(directory)).filter((name) => /^\d+$/.test(name)).reverse();

/** Names in a directory, in order; none when it cannot be read. */
const namesOf = async (directory: string): Promise<string[]> => {
  const names = await readdir(directory).catch(() => [] as string[]);
  return names.sort((a, b) => (a < b ? -1 : 1));
};

const claudeHome = (env: Environment): string => named(env, 'CLAUDE_CONFIG_DIR') ?? join(home(env), '.claude');

const codexHome = (env: Environment): string => named(env, 'CODEX_HOME') ?? join(home(env), '.codex');

/** The clients, too, fall back to the user's own. */
const home = (env: Environment): string => named(env, 'HOME') ?? homedir();

const named = (env: Environment, name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

/** What a client that asks where it is gets; of what is not there yet, what it will be. */
export const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
};
