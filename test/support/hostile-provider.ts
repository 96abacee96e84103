// A memory provider that does what its test wants: an MCP server in this process whose answers are set call by call, and
// transports that never connect, never answer or answer nonsense.
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { PROVIDER_TOOLS, type ProviderTool } from '../../src/core/provider/contract.js';

export type Answer = (args: Readonly<Record<string, unknown>>) => Promise<unknown> | unknown;

export interface HostileProvider {
  readonly calls: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** What each tool answers: a result as MCP sends it, or a promise of one. */
  readonly answers: Record<ProviderTool, Answer>;
  /** The names it lists, in pages. */
  pages: readonly (readonly string[])[];
  /** How the next session opens. */
  open: () => Promise<Transport>;
  readonly openServer: () => Promise<Transport>;
  /** Ends every open session from the provider's side. */
  readonly hangUp: () => Promise<void>;
  readonly countOf: (tool: ProviderTool) => number;
}

/** A well-formed answer with structured content. */
export const says = (content: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: content,
});

/** An answer in one text block alone. */
export const saysText = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

export const failsWith = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] });

export const never = (): Promise<never> => new Promise(() => undefined);

export const hostileProvider = (): HostileProvider => {
  const sessions = new Set<Server>();
  let recorded = 0;
  const provider: HostileProvider = {
    calls: [],
    answers: {
      memory_contract: () => says({ contract: 1, provider: { name: 'zep', version: '1' } }),
      memory_record_episode: () => {
        recorded += 1;
        return says({ ids: [`id-${recorded}`] });
      },
      memory_recall: () => says({ items: [] }),
      memory_forget: () => says({ forgotten: true }),
    },
    pages: [PROVIDER_TOOLS],
    open: () => provider.openServer(),
    openServer: async () => {
      const [client, far] = InMemoryTransport.createLinkedPair();
      const server = serverOf(provider);
      sessions.add(server);
      await server.connect(far);
      return client;
    },
    hangUp: async () => {
      for (const server of sessions) await server.close();
      sessions.clear();
    },
    countOf: (tool) => provider.calls.filter((call) => call.tool === tool).length,
  };
  return provider;
};

const serverOf = (provider: HostileProvider): Server => {
  const server = new Server({ name: 'hostile', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const page = Number(params?.cursor ?? '0');
    const names = provider.pages[page] ?? [];
    const more = page + 1 < provider.pages.length ? { nextCursor: String(page + 1) } : {};
    return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const } })), ...more };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    provider.calls.push({ tool: params.name, args: params.arguments ?? {} });
    return (await provider.answers[params.name as ProviderTool](params.arguments ?? {})) as CallToolResult;
  });
  return server;
};

/** A transport whose far end answers each message with what `reply` makes of it; undefined is silence. */
export const rawTransport = (reply: (message: JSONRPCMessage) => unknown): Transport => {
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => {
      transport.onclose?.();
      return Promise.resolve();
    },
    send: (message) => {
      const answer = reply(message);
      if (answer !== undefined) queueMicrotask(() => transport.onmessage?.(answer as JSONRPCMessage));
      return Promise.resolve();
    },
  };
  return transport;
};
