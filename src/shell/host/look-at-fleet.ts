// Looks at what the configured harnesses need of this host: programs and their versions, directories, env files, prompts.
import { readFileSync, statSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import type { Adapter } from '../../core/adapter/declaration.js';
import { STREAMS } from '../../core/adapter/declaration.js';
import { resolveAdapter } from '../../core/adapter/resolve.js';
import { refusesRoot } from '../../core/adapter/root-mark.js';
import type { Config, HarnessConfig } from '../../core/config/config.js';
import type { ClientFact, FleetFacts, HarnessFact } from '../../core/doctor/facts.js';
import { childEnvironment, parseEnvFile } from '../../core/run/environment.js';
import { pathFact } from '../config-files/path-facts.js';
import { findExecutable } from '../files/executable.js';
import { codexBinary } from '../supervise/codex-binary.js';
import { askVersion } from './client-version.js';

type Environment = Readonly<Record<string, string>>;

/** `env` is that of the process that starts the harnesses. */
export const lookAtFleet = async ({ harnesses, adapters }: Config, env: Environment): Promise<FleetFacts> => {
  const used = [...new Set(harnesses.map(({ harness }) => harness))].flatMap((name) => {
    const adapter = resolveAdapter(name, adapters);
    return E.isRight(adapter) ? [adapter.right] : [];
  });
  return {
    as_root: process.getuid?.() === 0,
    clients: await Promise.all(used.map((adapter) => lookAtClient(adapter, env))),
    harnesses: harnesses.map((harness) =>
      lookAtHarness(
        harness,
        used.find(({ name }) => name === harness.harness),
        env,
      ),
    ),
  };
};

const lookAtClient = async (adapter: Adapter, env: Environment): Promise<ClientFact> => {
  const { name, family, executable, version_argv, min_version } = adapter;
  const found = findExecutable(executable, env['PATH'] ?? '', process.cwd());
  const codex = family === 'codex' ? codexBinary(executable, env) : undefined;
  const version =
    found.kind === 'found' && version_argv.length > 0
      ? await askVersion(
          found.path,
          version_argv,
          childEnvironment({ daemon: env, adapter: adapter.env, files: {}, literals: {}, run: {} }),
        )
      : undefined;
  return {
    adapter: name,
    family,
    executable,
    found,
    script: codex?.script === true,
    ...(min_version === undefined ? {} : { min_version }),
    ...(version === undefined ? {} : { version }),
  };
};

const lookAtHarness = (harness: HarnessConfig, adapter: Adapter | undefined, env: Environment): HarnessFact => {
  const { name, workdir, argv, env_file, options } = harness;
  const [program] = harness.harness === 'command' ? (argv ?? []) : [];
  return {
    name,
    adapter: harness.harness,
    ...(program === undefined
      ? {}
      : { program: { name: program, found: findExecutable(program, pathOf(harness, env), workdir ?? process.cwd()) } }),
    ...(workdir === undefined
      ? {}
      : { workdir: { path: workdir, exists: statSync(workdir, { throwIfNoEntry: false })?.isDirectory() === true } }),
    env_files: env_file.map((path) => ({ path, kind: kindOf(path) })),
    refuses_root: adapter !== undefined && refusesRoot(adapter, options, environmentOf(harness, adapter.env, env)),
    slash_prompt: adapter?.family === 'claude-code' && promptOf(harness).trimStart().startsWith('/'),
    remembered: harness.memory_record && harness.record_trace && tellsOfSessions(harness, adapter),
    untrusted_inline: harness.untrusted_inline,
    memory_briefing: harness.memory_briefing,
    briefing_max_chars: harness.briefing_max_chars,
  };
};

/** A command without transcripts has no session that an episode could be made of. */
const tellsOfSessions = ({ transcripts }: HarnessConfig, adapter: Adapter | undefined): boolean =>
  transcripts !== undefined || (adapter !== undefined && STREAMS[adapter.family]);

const kindOf = (path: string): HarnessFact['env_files'][number]['kind'] => {
  const { kind, secret } = pathFact(path, '/');
  if (kind !== 'file') return 'missing';
  return secret ? 'private' : 'shared';
};

const pathOf = (harness: HarnessConfig, env: Environment): string => environmentOf(harness, {}, env)['PATH'] ?? '';

const environmentOf = ({ env_file, secrets_env, env: literals }: HarnessConfig, adapter: Environment, daemon: Environment): Environment =>
  childEnvironment({
    daemon,
    adapter,
    files: Object.assign({}, ...env_file.map((file) => parseEnvFile(readText(file)))) as Environment,
    ...(secrets_env === undefined ? {} : { secrets: secrets_env }),
    literals,
    run: {},
  });

const promptOf = ({ prompt }: HarnessConfig): string => {
  if (prompt === undefined) return '';
  return prompt.kind === 'prompt' ? prompt.text : readText(prompt.path);
};

/** What cannot be read is told by the row about the file. */
const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
