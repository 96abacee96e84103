// Reads what a start needs from the world and hands it to the core: the prompt's file, the env files, the executable's place.
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import { fitsArguments } from '../../core/adapter/argument-limit.js';
import type { Adapter, AdapterTable } from '../../core/adapter/declaration.js';
import { renderOneShot } from '../../core/adapter/render.js';
import { renderCommand } from '../../core/adapter/render-command.js';
import { resolveAdapter } from '../../core/adapter/resolve.js';
import { refusesRoot } from '../../core/adapter/root-mark.js';
import type { HarnessConfig } from '../../core/config/config.js';
import { childEnvironment, type Environment, parseEnvFile } from '../../core/run/environment.js';
import type { RunKey } from '../../core/run/record.js';
import type { World } from '../daemon/world.js';
import type { ChildSpec, StartError } from './child.js';
import { codexBinary } from './codex-binary.js';
import { writePromptFile } from './prompt-file.js';

const MIB = 1_024 * 1_024;
const PLATFORM = { linux: platform() === 'linux', argMax: platform() === 'linux' ? 2 * MIB : MIB };

export interface StartRequest {
  readonly key: RunKey;
  readonly harness: HarnessConfig;
  readonly adapters: Readonly<Record<string, AdapterTable>>;
  readonly trigger: string;
  readonly spawnId: string;
  readonly workdir: string;
  readonly jobs: string;
}

export interface PreparedStart {
  readonly spec: ChildSpec;
  /** Absent for `command` harnesses, whose output nobody reads as a trace. */
  readonly adapter?: Adapter;
}

/** The child to start, or why it cannot be. */
export const prepareStart = (request: StartRequest, world: World): E.Either<StartError, PreparedStart> => {
  if (request.harness.kind === 'resident') return prepareResident(request, world);
  const prompt = readPrompt(request.harness);
  if (E.isLeft(prompt)) return prompt;
  return request.harness.harness === 'command'
    ? prepareCommand(request, prompt.right, world)
    : prepareAdapter(request, prompt.right ?? '', world);
};

const prepareAdapter = (request: StartRequest, prompt: string, world: World): E.Either<StartError, PreparedStart> => {
  const { harness } = request;
  const adapter = resolveAdapter(harness.harness, request.adapters);
  if (E.isLeft(adapter)) return refuse(`harness "${harness.name}": adapter "${harness.harness}" is not usable (${adapter.left.code})`);
  const argv = renderOneShot(adapter.right, { options: harness.options, session_id: world.uuid(), prompt });
  if (E.isLeft(argv)) return refuse(`adapter "${argv.left.adapter}" does not support "${argv.left.option}"`);
  const env = environmentOf(request, adapter.right.env, {}, world);
  if (needsSandboxMark(adapter.right, harness, env))
    return refuse('claude refuses auto_accept as root: set IS_SANDBOX=1 in env_file, or run the daemon as another user');
  const executable = executableOf(adapter.right, request.key, env, world);
  return fitting({ spec: { executable, argv: argv.right, cwd: request.workdir, env }, adapter: adapter.right }, harness.name);
};

/** A resident is started with the arguments its operator wrote, and no others. */
const prepareResident = (request: StartRequest, world: World): E.Either<StartError, PreparedStart> => {
  const { harness } = request;
  if (harness.harness === 'command') return prepareCommand(request, undefined, world);
  const adapter = resolveAdapter(harness.harness, request.adapters);
  if (E.isLeft(adapter)) return refuse(`harness "${harness.name}": adapter "${harness.harness}" is not usable (${adapter.left.code})`);
  const env = environmentOf(request, adapter.right.env, {}, world);
  const executable = executableOf(adapter.right, request.key, env, world);
  const spec = { executable, argv: harness.args ?? [], cwd: request.workdir, env };
  return fitting({ spec, adapter: adapter.right }, harness.name);
};

const executableOf = (adapter: Adapter, key: RunKey, env: Environment, world: World): string => {
  if (adapter.family !== 'codex') return adapter.executable;
  const { path, script } = codexBinary(adapter.executable, env);
  if (script) world.log.warn({ event: 'codex_script', harness: key.harness, run: key.run_id, file: path });
  return path;
};

const prepareCommand = (request: StartRequest, prompt: string | undefined, world: World): E.Either<StartError, PreparedStart> => {
  const { harness, key } = request;
  const [executable = '', ...rest] = harness.argv ?? [];
  const delivery = prompt === undefined ? undefined : (harness.prompt_delivery ?? 'argv');
  const file = delivery === 'file' && prompt !== undefined ? writePromptFile(request.jobs, key.run_id, prompt) : undefined;
  const values = {
    ...(delivery === 'argv' && prompt !== undefined ? { prompt } : {}),
    ...(file === undefined ? {} : { prompt_file: file }),
  };
  const env = environmentOf(request, {}, file === undefined ? {} : { HARNESS_PROMPT_FILE: file }, world);
  const [, ...argv] = renderCommand([executable, ...rest], values);
  const stdin = delivery === 'stdin' && prompt !== undefined ? { stdin: prompt } : {};
  return fitting({ spec: { executable, argv, cwd: request.workdir, env, ...stdin } }, harness.name);
};

const fitting = (start: PreparedStart, name: string): E.Either<StartError, PreparedStart> =>
  fitsArguments([start.spec.executable, ...start.spec.argv], start.spec.env, PLATFORM)
    ? E.right(start)
    : E.left({
        code: 'argv_too_long',
        message: `harness "${name}": the prompt exceeds the platform's argument limit; shorten it, or use a command harness with prompt_delivery "file" or "stdin"`,
      });

const readPrompt = ({ name, prompt }: HarnessConfig): E.Either<StartError, string | undefined> => {
  if (prompt === undefined) return E.right(undefined);
  if (prompt.kind === 'prompt') return E.right(prompt.text);
  try {
    const text = readFileSync(prompt.path, 'utf8');
    return text.trim() === '' ? refuse(`harness "${name}": prompt_file ${prompt.path} is blank`) : E.right(text);
  } catch (error) {
    return refuse(`harness "${name}": prompt_file ${prompt.path} cannot be read: ${(error as Error).message}`);
  }
};

const environmentOf = (request: StartRequest, adapter: Environment, extra: Environment, world: World): Environment => {
  const { harness, key } = request;
  return childEnvironment({
    daemon: world.environment,
    adapter,
    files: readEnvFiles(harness, world),
    ...(harness.secrets_env === undefined ? {} : { secrets: harness.secrets_env }),
    literals: harness.env,
    run: {
      ...extra,
      HARNESS_RUN_ID: String(key.run_id),
      HARNESS_RUN_TRIGGER: request.trigger,
      HARNESS_NAME: key.harness,
      HARNESS_SPAWN_ID: request.spawnId,
    },
  });
};

/** A missing file is tolerated and logged: the run's own failure will say more than we could. */
const readEnvFiles = (harness: HarnessConfig, world: World): Environment =>
  Object.assign(
    {},
    ...harness.env_file.map((file) => {
      try {
        return parseEnvFile(readFileSync(file, 'utf8'));
      } catch {
        world.log.warn({ event: 'env_file_unreadable', harness: harness.name, file });
        return {};
      }
    }),
  ) as Environment;

const needsSandboxMark = (adapter: Adapter, harness: HarnessConfig, env: Environment): boolean =>
  process.getuid?.() === 0 && refusesRoot(adapter, harness.options, env);

const refuse = (message: string): E.Either<StartError, never> => E.left({ code: 'not_started', message });
