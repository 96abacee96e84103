import type { ToolCall } from './main.mjs';

interface Call {
  readonly tool: ToolCall;
}

type Input = Readonly<Record<string, unknown>>;

/** Claude Code's own tools; paths are absolute, and Edit wants the file read or written before. */
export declare const claude: {
  readonly read: (path: string) => Call;
  readonly edit: (path: string, before: string, after: string) => Call;
  readonly write: (path: string, content: string) => Call;
  readonly bash: (command: string) => Call;
  readonly agent: (prompt: string) => Call;
  readonly mcp: (server: string, name: string, input: Input) => Call;
};

/** Codex's tools on models that call them one by one. */
export declare const codex: {
  readonly exec: (command: string) => Call;
  readonly update: (path: string, before: string, after: string) => Call;
  readonly add: (path: string, content: string) => Call;
  readonly patch: (...hunks: readonly string[]) => Call;
  readonly mcp: (server: string, name: string, input: Input) => Call;
};

/** Codex's tools on models that write JavaScript. */
export declare const codexCodeMode: {
  readonly exec: (command: string) => Call;
  readonly patch: (...hunks: readonly string[]) => Call;
  readonly mcp: (server: string, name: string, input: Input) => Call;
  readonly spawnAgent: (message: string) => Call;
  readonly waitAgent: () => Call;
};
