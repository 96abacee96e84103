// Asks a client for its version, and does not wait for one that does not answer.
import { execFile } from 'node:child_process';
import { versionIn } from '../../core/doctor/versions.js';
import { toOneLine } from '../../core/kernel/text.js';
import type { Environment } from './run-tool.js';

const ANSWER_MS = 5_000;
const SAID_CHARACTERS = 80;

/** The number in what it prints, or why there is none. */
export const askVersion = (
  path: string,
  argv: readonly string[],
  env: Environment,
): Promise<{ readonly number: string } | { readonly trouble: string }> =>
  new Promise((resolve) => {
    const options = { env, timeout: ANSWER_MS, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
    const child = execFile(path, [...argv], options, (error, stdout, stderr) => {
      const said = `${stdout}\n${stderr}`;
      const number = versionIn(said);
      if (error?.killed === true) resolve({ trouble: `no answer within ${ANSWER_MS / 1_000} s` });
      else if (number === undefined || error !== null) resolve({ trouble: reason(error, said) });
      else resolve({ number });
    });
    // A program that reads on would never end.
    child.stdin?.end();
  });

const reason = (error: { readonly code?: string | number | null } | null, said: string): string => {
  const [line = ''] = said.split('\n').filter((each) => each.trim() !== '');
  if (line.trim() !== '') return toOneLine(line).slice(0, SAID_CHARACTERS);
  return error === null ? 'it says nothing' : `it ended with ${error.code ?? 'a signal'}`;
};
