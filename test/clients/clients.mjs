// How the real clients are started against the scripted model server: their binaries, arguments, environment and configuration.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, 'node_modules');

/** The wrapper that leaves a command nothing but 127.0.0.1. */
export const loopback = join(here, 'loopback.sh');

/** A server with one tool, `echo`. */
export const echoMcp = join(here, 'echo-mcp.mjs');

const TRIPLES = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

const platform = `${process.platform}-${process.arch}`;

/** The native binaries; the packages' node wrappers would leave the binary running when they are killed. */
export const claudeBinary = join(modules, '@anthropic-ai', `claude-code-${platform}`, 'claude');
export const codexBinary = join(modules, '@openai', `codex-${platform}`, 'vendor', TRIPLES[platform] ?? platform, 'bin', 'codex');

/** A model for which codex lists its tools one by one; its default model has only `exec`, which runs JavaScript. */
export const CODEX_DIRECT_MODEL = 'gpt-5.5';
export const CODEX_CODE_MODE_MODEL = 'gpt-5.6-sol';
export const CLAUDE_MODEL = 'claude-sonnet-5-5';

/**
 * Everything Claude Code needs in its environment; `retries` is how often it asks again after an error.
 * @param {{ url: string, home: string, retries?: number }} options
 */
export const claudeEnv = ({ url, home, retries = 0 }) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  TERM: 'dumb',
  IS_SANDBOX: '1',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'scripted',
  CLAUDE_CODE_MAX_RETRIES: String(retries),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ENABLE_TOOL_SEARCH: 'false',
});

/** @param {{ prompt: string, session: string, model?: string, mcpConfig?: string }} options */
export const claudeArgs = ({ prompt, session, model = CLAUDE_MODEL, mcpConfig }) => [
  ...['-p', '--dangerously-skip-permissions', '--model', model, '--session-id', session],
  ...(mcpConfig === undefined ? [] : ['--mcp-config', mcpConfig, '--strict-mcp-config', '--allowedTools', 'mcp__echo__*']),
  ...['--verbose', '--output-format', 'stream-json', '--', prompt],
];

/**
 * The text of `$CODEX_HOME/config.toml`. Without `analytics.enabled = false` the client spends five seconds at its end
 * trying to reach its maker.
 * @param {{ url: string, model?: string, retries?: number }} options
 */
export const codexConfig = ({ url, model = CODEX_DIRECT_MODEL, retries = 0 }) => `model = "${model}"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
`;

/**
 * Writes the configuration into the home directory and gives the environment that goes with it.
 * @param {{ url: string, home: string, model?: string, retries?: number }} options
 */
export const codexEnv = ({ home, ...options }) => {
  const codexHome = join(home, '.codex');
  mkdirSync(codexHome, { recursive: true });
  writeFileSync(join(codexHome, 'config.toml'), codexConfig(options));
  return { PATH: process.env['PATH'] ?? '', HOME: home, CODEX_HOME: codexHome, TERM: 'dumb' };
};

/** @param {{ prompt: string, flags?: string[] }} options */
export const codexArgs = ({ prompt, flags = [] }) => [
  ...['exec', '--json', '--skip-git-repo-check', '--disable', 'unbounded_connection_retries'],
  ...['--dangerously-bypass-approvals-and-sandbox', ...flags, '--', prompt],
];

/** Codex takes servers as configuration; `echo` is the one of this folder. */
export const codexEchoFlags = [
  ...['-c', `mcp_servers.echo.command=${JSON.stringify(process.execPath)}`],
  ...['-c', `mcp_servers.echo.args=[${JSON.stringify(echoMcp)}]`],
  ...['-c', 'mcp_servers.echo.required=true', '-c', 'mcp_servers.echo.default_tools_approval_mode="approve"'],
];
