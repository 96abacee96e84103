// Tool calls as the clients' models write them, for scripts.

/** @typedef {import('./main.d.mts').ToolCall} ToolCall */

/** Claude Code's own tools; paths are absolute, and Edit wants the file read (or written) before. */
export const claude = {
  /** @param {string} file_path */
  read: (file_path) => tool('Read', { file_path }),
  /** @param {string} file_path @param {string} old_string @param {string} new_string */
  edit: (file_path, old_string, new_string) => tool('Edit', { file_path, old_string, new_string }),
  /** @param {string} file_path @param {string} content */
  write: (file_path, content) => tool('Write', { file_path, content }),
  /** @param {string} command */
  bash: (command) => tool('Bash', { command, description: 'Run a command' }),
  /** A sub-agent that ends before the next turn. @param {string} prompt */
  agent: (prompt) => tool('Agent', { description: 'Look around', prompt, subagent_type: 'general-purpose', run_in_background: false }),
  /** @param {string} server @param {string} name @param {Record<string, unknown>} input */
  mcp: (server, name, input) => tool(`mcp__${server}__${name}`, input),
};

/** Codex's tools on models that call them directly, such as `CODEX_DIRECT_MODEL`. */
export const codex = {
  /** @param {string} cmd */
  exec: (cmd) => tool('exec_command', { cmd }),
  /** @param {string} path @param {string} before one line @param {string} after one line */
  update: (path, before, after) => codex.patch(`*** Update File: ${path}\n@@\n-${before}\n+${after}`),
  /** @param {string} path @param {string} content */
  add: (path, content) => codex.patch(`*** Add File: ${path}\n${content.replace(/^/gm, '+')}`),
  /** @param {string[]} hunks */
  patch: (...hunks) => tool('apply_patch', `*** Begin Patch\n${hunks.join('\n')}\n*** End Patch\n`),
  /** @param {string} server @param {string} name @param {Record<string, unknown>} input */
  mcp: (server, name, input) => ({ tool: { name, namespace: `mcp__${server}`, input } }),
};

/** Codex's tools on code-mode models, such as its default one: every call is JavaScript for one `exec` tool. */
export const codexCodeMode = {
  /** @param {string} cmd */
  exec: (cmd) => script(`tools.exec_command(${JSON.stringify({ cmd })})`),
  /** @param {string[]} hunks */
  patch: (...hunks) => script(`tools.apply_patch(${JSON.stringify(`*** Begin Patch\n${hunks.join('\n')}\n*** End Patch\n`)})`),
  /** @param {string} server @param {string} name @param {Record<string, unknown>} input */
  mcp: (server, name, input) => script(`tools.mcp__${server}__${name}(${JSON.stringify(input)})`),
  /** @param {string} message */
  spawnAgent: (message) => ({
    tool: { name: 'spawn_agent', namespace: 'collaboration', input: { message, task_name: 'look_around', fork_turns: 'none' } },
  }),
  waitAgent: () => ({ tool: { name: 'wait_agent', namespace: 'collaboration', input: { timeout_ms: 10_000 } } }),
};

/** @param {string} name @param {string | Record<string, unknown>} input @returns {{ tool: ToolCall }} */
const tool = (name, input) => ({ tool: { name, input } });

/** @param {string} call */
const script = (call) => tool('exec', `const r = await ${call}; text(JSON.stringify(r));`);
