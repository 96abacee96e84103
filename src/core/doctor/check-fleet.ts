// Clients and harnesses: whether what is configured could start, and would do what it seems to say.
import { shellLine } from '../kernel/shell-line.js';
import type { ClientFact, FleetFacts, FoundProgram, HarnessFact } from './facts.js';
import { type CheckRow, error, info, ok, warn } from './report.js';
import { isAtLeast } from './versions.js';

/** A briefing with less room holds little beside its frame. */
export const BRIEFING_SMALL = 1_200;

export const checkFleet = ({ as_root, clients, harnesses }: FleetFacts): readonly CheckRow[] => [
  ...clients.flatMap(checkClient),
  ...harnesses.flatMap((harness) => checkHarness(harness, as_root)),
];

/** How the clients we know are installed. */
const PACKAGES: Readonly<Record<string, string>> = {
  'claude-code': '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  crush: '@charmland/crush',
};

const install = ({ family, executable }: ClientFact): string => {
  const name = PACKAGES[family];
  return name === undefined ? shellLine(['command', '-v', executable]) : `npm install -g ${name}@latest`;
};

const checkClient = (client: ClientFact): readonly CheckRow[] => {
  const { adapter, executable, found, version, min_version, script } = client;
  const trouble = checkProgram(adapter, executable, found, install(client));
  if (found.kind !== 'found') return trouble;
  return [
    checkVersion(client, found.path, version, min_version),
    ...(script
      ? [
          warn(
            adapter,
            'it is a script without its native binary beside it: a stop may not reach what it starts',
            `${install(client)} --include=optional`,
          ),
        ]
      : []),
    ...(client.family === 'crush'
      ? [info(adapter, 'its adapter follows the documentation; it was never run against the program itself')]
      : []),
  ];
};

const checkVersion = (client: ClientFact, path: string, version: ClientFact['version'], minimum = '0'): CheckRow => {
  const { adapter } = client;
  if (version === undefined) return ok(adapter, path);
  if ('trouble' in version) return warn(adapter, `${path} does not tell its version: ${version.trouble}`, shellLine([path, '--version']));
  return isAtLeast(version.number, minimum)
    ? ok(adapter, `${version.number}, ${path}`)
    : warn(adapter, `${version.number} is older than ${minimum}, ${path}`, install(client));
};

const checkProgram = (name: string, program: string, found: FoundProgram, remedy: string): readonly CheckRow[] => {
  switch (found.kind) {
    case 'found':
      return [];
    case 'missing':
      return [error(name, `the program "${program}" was not found`, remedy)];
    case 'forbidden':
      return [error(name, `${found.path} may not be executed`, shellLine(['chmod', '+x', found.path]))];
  }
};

const checkHarness = (harness: HarnessFact, asRoot: boolean): readonly CheckRow[] => {
  const { name, program, workdir } = harness;
  return [
    ...(program === undefined
      ? []
      : checkProgram('program', program.name, program.found, shellLine(['harness', 'describe', name])).map(of(name))),
    ...(workdir === undefined || workdir.exists
      ? []
      : [error('workdir', `${name}: ${workdir.path} is no directory`, shellLine(['mkdir', '-p', workdir.path]))]),
    ...checkEnvFiles(harness),
    ...(harness.refuses_root && asRoot ? [checkRoot(harness)] : []),
    ...(harness.slash_prompt
      ? [
          warn(
            'prompt',
            `${name}: it starts with "/", which its client takes as a command of its own`,
            shellLine(['harness', 'describe', name]),
          ),
        ]
      : []),
    ...(harness.untrusted_inline
      ? [warn('untrusted', `${name}: untrusted_inline lets text from outside into its prompt`, shellLine(['harness', 'describe', name]))]
      : []),
    ...(harness.briefing_max_chars < BRIEFING_SMALL
      ? [info('briefing', `${name}: briefing_max_chars = ${harness.briefing_max_chars} leaves little room beside the frame`)]
      : []),
  ];
};

const of =
  (harness: string) =>
  (row: CheckRow): CheckRow => ({ ...row, detail: `${harness}: ${row.detail}` });

const checkEnvFiles = ({ name, env_files }: HarnessFact): readonly CheckRow[] =>
  env_files.flatMap(({ path, kind }) => {
    if (kind === 'private') return [];
    return kind === 'shared'
      ? [warn('env_file', `${name}: ${path} can be read by others`, shellLine(['chmod', '600', path]))]
      : [
          warn(
            'env_file',
            `${name}: ${path} cannot be read, runs start without it`,
            shellLine(['install', '-m', '600', '/dev/null', path]),
          ),
        ];
  });

const checkRoot = ({ name, env_files }: HarnessFact): CheckRow => {
  const [file] = env_files;
  return error(
    'sandbox',
    `${name}: claude refuses auto_accept as root, so no run can start`,
    file === undefined ? 'IS_SANDBOX=1 in env_file, or run the daemon as another user' : `echo IS_SANDBOX=1 >> ${shellLine([file.path])}`,
  );
};
