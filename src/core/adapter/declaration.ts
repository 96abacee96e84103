// An adapter is data: what to execute, how to spell a prompt run and each option, and which reader understands its output.

export const FAMILIES = ['claude-code', 'codex', 'crush'] as const;
export type Family = (typeof FAMILIES)[number];

/** Whether a prompt run of the family tells what it does on standard output; the others are known by their transcripts alone. */
export const STREAMS: Readonly<Record<Family, boolean>> = { 'claude-code': true, codex: true, crush: false };

/** The options a harness may set and an adapter may spell; closed. */
export const OPTION_NAMES = ['auto_accept', 'model', 'max_turns', 'quiet', 'system_prompt_file', 'allowed_tools'] as const;
export type OptionName = (typeof OPTION_NAMES)[number];

/**
 * A declared adapter. In `one_shot`, an element `{{opt.NAME}}` becomes that option's elements or nothing, `{{session_id}}` a
 * fresh UUID, `{{prompt}}` the prompt, last and once. In an option, `{{value}}` is the value and `{{values}}` a list's elements.
 * An option that is not declared is not supported: a harness that sets it fails to load.
 */
export interface Adapter {
  readonly name: string;
  readonly family: Family;
  readonly executable: string;
  readonly version_argv: readonly string[];
  readonly min_version?: string;
  readonly one_shot: readonly string[];
  readonly options: Readonly<Partial<Record<OptionName, readonly string[]>>>;
  readonly env: Readonly<Record<string, string>>;
  /** Names of environment variables the client needs from env files when `secrets_env` is unset. */
  readonly env_pass: readonly string[];
}

/** What an `[adapter.<name>]` table may say; a built-in's name overrides it, another name needs `extends`. */
export type AdapterTable = Partial<Omit<Adapter, 'name' | 'family'>> & { readonly extends?: string };

const CLAUDE_CODE: Adapter = {
  name: 'claude-code',
  family: 'claude-code',
  executable: 'claude',
  version_argv: ['--version'],
  min_version: '2.1.0',
  one_shot: [
    '-p',
    '{{opt.auto_accept}}',
    '{{opt.model}}',
    '{{opt.max_turns}}',
    '{{opt.quiet}}',
    '{{opt.system_prompt_file}}',
    '--session-id',
    '{{session_id}}',
    '{{opt.allowed_tools}}',
    '--verbose',
    '--output-format',
    'stream-json',
    '--',
    '{{prompt}}',
  ],
  options: {
    auto_accept: ['--dangerously-skip-permissions'],
    model: ['--model', '{{value}}'],
    max_turns: ['--max-turns', '{{value}}'],
    quiet: [],
    system_prompt_file: ['--append-system-prompt-file', '{{value}}'],
    allowed_tools: ['--allowedTools', '{{values}}'],
  },
  env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'false' },
  env_pass: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
};

const CODEX: Adapter = {
  name: 'codex',
  family: 'codex',
  executable: 'codex',
  version_argv: ['--version'],
  one_shot: [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--disable',
    'unbounded_connection_retries',
    '{{opt.model}}',
    '{{opt.auto_accept}}',
    '--',
    '{{prompt}}',
  ],
  options: {
    auto_accept: ['--sandbox', 'workspace-write', '-c', 'approval_policy="never"'],
    model: ['--model', '{{value}}'],
  },
  env: {},
  env_pass: ['OPENAI_API_KEY'],
};

/** Nobody has tried whether it takes `--` before a prompt, so a prompt that starts with a hyphen is its own affair. */
const CRUSH: Adapter = {
  name: 'crush',
  family: 'crush',
  executable: 'crush',
  version_argv: ['--version'],
  one_shot: ['{{opt.auto_accept}}', 'run', '{{opt.quiet}}', '{{opt.model}}', '{{prompt}}'],
  options: {
    auto_accept: ['--yolo'],
    quiet: ['--quiet'],
    model: ['--model', '{{value}}'],
  },
  env: {},
  env_pass: [],
};

export const BUILTIN_ADAPTERS: readonly Adapter[] = [CLAUDE_CODE, CODEX, CRUSH];
