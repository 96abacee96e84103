// What the tests of the real clients share: a rig whose one harness runs the client against a scripted model, in a repository
// with a failing test.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Script, startModelServer } from '../support/model-server/main.mjs';
import { git, makeRig, type Rig } from '../support/rig.js';
import { CLAUDE_MODEL, CODEX_DIRECT_MODEL, claudeBinary, claudeEnv, codexBinary, codexEnv } from './clients.mjs';

export type Client = 'claude-code' | 'codex';

export interface ClientRig {
  readonly rig: Rig;
  readonly repo: string;
  readonly server: Awaited<ReturnType<typeof startModelServer>>;
  readonly close: () => Promise<void>;
}

const FILES = {
  'calc.js': 'exports.add = (a, b) => a - b;\n',
  'package.json': '{ "name": "calc", "private": true, "scripts": { "test": "node test.js", "serve": "sleep 297" } }\n',
  'test.js': "const { add } = require('./calc.js');\nif (add(2, 2) !== 5) { console.error('FAIL add(2,2)'); process.exit(1); }\n",
};

/** Starts a daemon with one harness named after the client. `script` gets the repository's path. */
export const startClientRig = async (client: Client, script: (repo: string) => Script, more = ''): Promise<ClientRig> => {
  const rig = makeRig();
  const repo = rig.repo('api', { files: FILES });
  git(repo, 'checkout', '-q', '-b', 'fix/add');
  const server = await startModelServer(script(repo));
  const home = rig.path('agent-home');
  const options = { url: server.url, home };
  const { PATH: _path, ...env } = client === 'codex' ? codexEnv(options) : claudeEnv(options);
  const binary = client === 'codex' ? codexBinary : claudeBinary;
  rig.configure(`[adapter.${client}]
executable = ${JSON.stringify(binary)}

[harness.worker]
harness = "${client}"
workdir = ${JSON.stringify(repo)}
prompt = "-- Mend add() and say how it went."
auto_accept = true
model = "${client === 'codex' ? CODEX_DIRECT_MODEL : CLAUDE_MODEL}"
env = { ${Object.entries(env)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')} }
${more}
`);
  await rig.start();
  const close = async (): Promise<void> => {
    await rig.dispose();
    await server.close();
  };
  return { rig, repo, server, close };
};

/** Processes of the script's own server, found by their command line and not by any mark of ours. */
export const servers = (): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(join('/proc', pid, 'cmdline'), 'latin1')
            .split('\0')
            .join(' ')
            .trim() === 'sleep 297'
        );
      } catch {
        return false;
      }
    })
    .map(Number);

/** Processes that still carry the mark of a spawn of ours. */
export const survivors = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(join('/proc', pid, 'environ'), 'latin1');
        return environment.includes('HARNESS_SPAWN_ID=') && environment.includes('HARNESS_NAME=worker')
          ? [`${pid} ${readFileSync(join('/proc', pid, 'cmdline'), 'latin1')}`]
          : [];
      } catch {
        return [];
      }
    });
