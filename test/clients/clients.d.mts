export declare const loopback: string;
export declare const echoMcp: string;
export declare const claudeBinary: string;
export declare const codexBinary: string;
export declare const CODEX_DIRECT_MODEL: string;
export declare const CODEX_CODE_MODE_MODEL: string;
export declare const CLAUDE_MODEL: string;

export interface ClientOptions {
  /** The model server's address. */
  readonly url: string;
  readonly home: string;
  /** How often the client asks again after an error; 0 when left out. */
  readonly retries?: number;
}

export declare const claudeEnv: (options: ClientOptions) => Record<string, string>;
export declare const claudeArgs: (options: {
  readonly prompt: string;
  readonly session: string;
  readonly model?: string;
  readonly mcpConfig?: string;
}) => string[];

export declare const codexConfig: (options: ClientOptions & { readonly model?: string }) => string;
export declare const codexEnv: (options: ClientOptions & { readonly model?: string }) => Record<string, string>;
export declare const codexArgs: (options: { readonly prompt: string; readonly flags?: readonly string[] }) => string[];
export declare const codexEchoFlags: readonly string[];
