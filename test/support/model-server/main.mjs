// A scripted model server on 127.0.0.1 that real agent clients talk to in tests: it speaks Anthropic Messages and OpenAI Responses,
// answers from a script, and records what it was asked. Also a process of its own: `node main.mjs SCRIPT.json` prints {"url":"…"}.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { askedOfMessages, messageError, messageEvents, wholeMessage } from './anthropic.mjs';
import { askedOfResponses, responseError, responseEvents, wholeResponse } from './responses.mjs';
import { playScript } from './script.mjs';

/** @typedef {import('./main.d.mts').ModelRequest} ModelRequest */

const PROTOCOLS = {
  messages: { asked: askedOfMessages, events: messageEvents, whole: wholeMessage, error: messageError },
  responses: { asked: askedOfResponses, events: responseEvents, whole: wholeResponse, error: responseError },
};

/** @type {typeof import('./main.d.mts').startModelServer} */
export const startModelServer = async (script, { port = 0, servedModel, onRequest } = {}) => {
  /** @type {ModelRequest[]} */
  const requests = [];
  const play = playScript(script);
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const answer = async (request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const body = await bodyOf(request);
    if (request.method === 'GET' && path === '/requests') return sendJson(response, 200, requests);
    if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 100 });
    const protocol = path.endsWith('/messages') ? 'messages' : path.endsWith('/responses') ? 'responses' : undefined;
    if (protocol === undefined || request.method !== 'POST') return sendJson(response, 404, { error: { message: 'not scripted' } });
    const { asked, events, whole, error } = PROTOCOLS[protocol];
    const question = asked(body, request.headers);
    const reply = play(question);
    const { turn, conversation } = reply;
    const record = { protocol, path, turn, conversation, model: String(body.model), headers: request.headers, body, ...question };
    requests.push(record);
    onRequest?.(record);
    if (reply.status !== undefined) return sendJson(response, reply.status, error(reply.status));
    const served = servedModel ?? String(body.model);
    if (body.stream === false) return sendWhole(response, whole(reply, served, requests.length), reply);
    stream(response, events(reply, served, requests.length), reply);
  };

  await new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => listening(undefined));
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { url, requests, close };
};

/**
 * @param {import('node:http').ServerResponse} response
 * @param {{ event: string, data: unknown }[]} lines
 * @param {import('./main.d.mts').Reply} reply
 */
const stream = (response, lines, reply) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const sent = reply.hang || reply.cut ? lines.slice(0, lines.length >> 1) : lines;
  for (const { event, data } of sent) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  if (reply.hang) return;
  // The bytes must leave before the socket is torn down, or the client sees a refused request instead of a cut stream.
  if (reply.cut) setImmediate(() => response.socket?.resetAndDestroy());
  else response.end();
};

/** @param {import('node:http').ServerResponse} response @param {unknown} value @param {import('./main.d.mts').Reply} reply */
const sendWhole = (response, value, reply) => {
  if (reply.hang) return;
  if (reply.cut) response.socket?.resetAndDestroy();
  else sendJson(response, 200, value);
};

/** @param {import('node:http').ServerResponse} response @param {number} status @param {unknown} value */
const sendJson = (response, status, value) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

/** @param {import('node:http').IncomingMessage} request @returns {Promise<any>} */
const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : JSON.parse(text);
};

const runAlone = async () => {
  const [scriptFile, port] = process.argv.slice(2);
  if (scriptFile === undefined) throw new Error('usage: node main.mjs SCRIPT.json [PORT]');
  const { url } = await startModelServer(JSON.parse(readFileSync(scriptFile, 'utf8')), { port: Number(port ?? 0) });
  process.stdout.write(`${JSON.stringify({ url })}\n`);
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runAlone();
