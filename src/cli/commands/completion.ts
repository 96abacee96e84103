// `harness completion <shell>`: the script to load; and what such a script asks.
import * as E from 'fp-ts/lib/Either.js';
import { adapterNames } from '../../core/adapter/resolve.js';
import { toOneLine } from '../../core/kernel/text.js';
import { OUTCOMES } from '../../core/run/outcome.js';
import { loadView } from '../../shell/config-files/load-view.js';
import { connectDaemon } from '../../shell/rpc/client.js';
import { beginning, type Candidate, complete, type Member, type ValueKind } from '../completion/complete.js';
import { completionScript } from '../completion/scripts.js';
import { FILES, SHELLS } from '../completion/shells.js';
import { openSession, type Session } from '../session.js';
import { VERSION } from '../version.js';

/** Somebody waits with a finger on the key. */
const DAEMON_MS = 300;

export const runCompletion = (session: Session, shell: string): void => {
  const known = SHELLS.find((each) => each === shell);
  if (known !== undefined) session.print(completionScript(known));
};

/** One candidate a line with what it means behind a tab; nothing at all where anything goes wrong. */
export const answerShell = async (members: readonly Member[], words: readonly string[]): Promise<string> => {
  const { candidates, kind, prefix, typed } = complete(members, words);
  const more = kind === undefined || kind === 'files' ? [] : await valuesOf(kind, sessionOf(words));
  const found = [
    ...candidates,
    ...beginning(
      more.map(({ word, describe }) => ({ word: `${prefix}${word}`, describe })),
      typed,
    ),
  ];
  const lines = found.map(({ word, describe }) => `${word}\t${toOneLine(describe)}`);
  return [...lines, ...(kind === 'files' ? [FILES] : [])].map((line) => `${line}\n`).join('');
};

const valuesOf = async (kind: Exclude<ValueKind, 'files'>, session: Session): Promise<readonly Candidate[]> => {
  switch (kind) {
    case 'outcomes':
      return OUTCOMES.map((word) => ({ word, describe: '' }));
    case 'adapters':
      return [...adaptersIn(session), 'command'].map((word) => ({ word, describe: '' }));
    case 'harnesses':
      return harnesses(session);
    case 'projects':
      return projectsOf(await harnesses(session));
  }
};

/** Of the daemon, which knows projects too; else of the configuration. */
const harnesses = async (session: Session): Promise<readonly Candidate[]> => {
  try {
    const reply = await connectDaemon(session.paths.socket, VERSION).control.list({}, { timeoutMs: DAEMON_MS });
    return reply.harnesses.map(({ name, description, kind }) => ({ word: name, describe: description === '' ? kind : description }));
  } catch {
    const loaded = loadView(session.configFile);
    if (E.isLeft(loaded)) return [];
    return loaded.right.config.harnesses.map(({ name, description, kind }) => ({ word: name, describe: description ?? kind }));
  }
};

/** A project's harnesses are named `<project>/<name>`. */
const projectsOf = (names: readonly Candidate[]): readonly Candidate[] => {
  const projects = names.flatMap(({ word }) => /^(.+)\//.exec(word)?.[1] ?? []);
  return [...new Set(projects)].map((word) => ({ word, describe: 'project' }));
};

const adaptersIn = (session: Session): readonly string[] => {
  const loaded = loadView(session.configFile);
  return adapterNames(E.isLeft(loaded) ? {} : loaded.right.config.adapters);
};

/** The line may say itself where daemon and configuration are. */
const sessionOf = (words: readonly string[]): Session => {
  const said = (name: string): string | undefined => {
    const at = words.indexOf(`--${name}`);
    return at < 0 ? words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) : words[at + 1];
  };
  return openSession({ socket: said('socket'), config: said('config') });
};
