// A stdio MCP server with one tool that repeats its input, for scripted runs that call a tool of another server.
import { createInterface } from 'node:readline';

const TOOL = {
  name: 'echo',
  description: 'Repeats a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1.0.0' } }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: String(given?.text) }], isError: given?.text === 'fail' }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply = answer === undefined ? { error: { code: -32601, message: 'method not found' } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
}
