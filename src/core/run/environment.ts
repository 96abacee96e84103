// The environment of a child, lowest layer first; what the daemon sets for a run can be set by nothing else (SPEC-0014, SPEC-0017 REQ-12).

/** Names only the daemon sets. They are dropped from its own environment and from env files. */
export const RESERVED_NAMES: readonly string[] = [
  'HARNESS_RUN_ID',
  'HARNESS_RUN_TRIGGER',
  'HARNESS_RUN_SOURCE',
  'HARNESS_EVENT_FILE',
  'HARNESS_PROMPT_FILE',
  'HARNESS_BRIEF_FILE',
  'HARNESS_NAME',
  'HARNESS_SPAWN_ID',
  'HARNESS_MCP_TOKEN',
];

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentLayers {
  readonly daemon: Environment;
  readonly adapter: Environment;
  /** The env files merged in order, later wins. */
  readonly files: Environment;
  /** When set, only these names pass from the env files. */
  readonly secrets?: readonly string[];
  readonly literals: Environment;
  /** Run variables, HARNESS_NAME, HARNESS_SPAWN_ID. */
  readonly run: Environment;
}

/** The variables a child starts with. An unset run variable is absent, never empty. */
export const childEnvironment = (layers: EnvironmentLayers): Environment => {
  const daemon = without(layers.daemon, RESERVED_NAMES);
  const secrets = layers.secrets === undefined ? layers.files : only(layers.files, layers.secrets);
  return {
    ...daemon,
    ...terminalDefaults(daemon),
    ...layers.adapter,
    ...without(secrets, RESERVED_NAMES),
    ...without(layers.literals, RESERVED_NAMES),
    ...layers.run,
  };
};

/** Reads `KEY=VALUE` lines: blank and `#` lines skipped, `export ` allowed, one pair of quotes removed, no interpolation. */
export const parseEnvFile = (text: string): Environment => {
  const values: Record<string, string> = {};
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.trim().replace(/^export\s+/, '');
    const at = line.indexOf('=');
    if (line.startsWith('#') || at < 1) continue;
    values[line.slice(0, at).trim()] = unquote(line.slice(at + 1).trim());
  }
  return values;
};

const terminalDefaults = ({ TERM, COLORTERM }: Environment): Environment => ({
  ...(TERM === undefined || TERM === '' || TERM === 'dumb' ? { TERM: 'xterm-256color' } : {}),
  ...(COLORTERM === undefined ? { COLORTERM: 'truecolor' } : {}),
});

const unquote = (value: string): string => /^"(.*)"$/.exec(value)?.[1] ?? /^'(.*)'$/.exec(value)?.[1] ?? value;

const without = (environment: Environment, names: readonly string[]): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));

const only = (environment: Environment, names: readonly string[]): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name)));
