import type { IncomingHttpHeaders } from 'node:http';

/** A tool call of the model. Text as input makes it a freeform call (codex `apply_patch`, `exec`); `namespace` is codex's for MCP tools. */
export interface ToolCall {
  readonly name: string;
  readonly input: string | Readonly<Record<string, unknown>>;
  readonly namespace?: string;
}

export type TurnPart = { readonly say: string } | { readonly tool: ToolCall };

/**
 * One answer of the model: text, tool calls, both, an HTTP error, a stream that stops without ending (`hang`)
 * or one whose connection breaks (`cut`).
 */
export type Turn = TurnPart | readonly TurnPart[] | { readonly status: number } | { readonly hang: true } | { readonly cut: true };

/** `when` is a substring of the conversation's first prompt; the first conversation that fits answers. */
export interface Conversation {
  readonly when?: string;
  readonly turns: readonly Turn[];
}

export type Script = readonly Turn[] | { readonly conversations: readonly Conversation[] };

/** What a request says about itself. `tools` are the names it offers, MCP ones as `namespace.name`. */
export interface Asked {
  readonly session: string;
  readonly prompt: string;
  readonly tools: readonly string[];
}

/** The turn chosen for a request; -1 for a side question that uses up no turn. */
export interface Reply {
  readonly turn: number;
  readonly conversation: number;
  readonly say: string;
  readonly calls: readonly ToolCall[];
  readonly status?: number;
  readonly hang?: true;
  readonly cut?: true;
}

export interface ModelRequest extends Asked {
  readonly protocol: 'messages' | 'responses';
  readonly path: string;
  readonly turn: number;
  readonly conversation: number;
  readonly model: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of two protocols whose shapes are the clients'.
  readonly body: any;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`; Claude Code takes it as it is, codex with `/v1` after it. */
  readonly url: string;
  /** Every model request so far, oldest first; also at `GET /requests`. */
  readonly requests: readonly ModelRequest[];
  readonly close: () => Promise<void>;
}

export interface ModelServerOptions {
  readonly port?: number;
  /** The model id that answers carry; the requested one when left out. */
  readonly servedModel?: string;
  /** Called for each model request before it is answered. */
  readonly onRequest?: (request: ModelRequest) => void;
}

export declare const startModelServer: (script: Script, options?: ModelServerOptions) => Promise<ModelServer>;
