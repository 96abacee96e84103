// A scripted OpenAI-compatible endpoint on loopback: embeddings from a bag of words, chat answers from a script, failures on demand.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ModelEndpoint {
  readonly url: string;
  readonly requests: { readonly path: string; readonly body: Record<string, unknown>; readonly authorization: string | undefined }[];
  /** What the next requests get; `ok` answers properly. */
  behave:
    | 'ok'
    | 'status-503'
    | 'hang'
    | 'redirect'
    | 'not-json'
    | 'short'
    | 'nan'
    | 'zeros'
    | 'other-dimension'
    /** Refuses whatever holds the word poison. */
    | 'refuse-poison'
    /** Answers, but late. */
    | 'slow'
    | 'huge'
    | 'exact-limit'
    | 'other-model'
    | 'refuse-format';
  readonly close: () => Promise<void>;
}

const DIMENSION = 16;
const SLOW_MS = 1_200;

/** Texts that share words point the same way. */
export const embedWords = (text: string, dimension = DIMENSION): number[] => {
  const vector = new Array<number>(dimension).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7;
    for (const letter of word.slice(0, 5)) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
    vector[hash % dimension] = (vector[hash % dimension] ?? 0) + 1;
  }
  return vector;
};

export const startModelEndpoint = async (): Promise<ModelEndpoint> => {
  const requests: ModelEndpoint['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await read(request)) as Record<string, unknown>;
    requests.push({ path: request.url ?? '', body, authorization: request.headers.authorization });
    const send = (status: number, text: string, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    if (endpoint.behave === 'hang') return;
    if (endpoint.behave === 'status-503') return send(503, '{}');
    if (endpoint.behave === 'refuse-poison' && JSON.stringify(body['input']).includes('poison')) return send(400, '{}');
    if (endpoint.behave === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (endpoint.behave === 'redirect') return send(307, '', { location: '/elsewhere' });
    if (endpoint.behave === 'not-json') return send(200, '<html>');
    if (endpoint.behave === 'huge') return send(200, JSON.stringify('x'.repeat(1_048_576)));
    if (endpoint.behave === 'exact-limit') return send(200, JSON.stringify('x'.repeat(1_048_574)));
    if (request.url?.endsWith('/embeddings')) return send(200, JSON.stringify(embeddings(body['input'] as string[])));
    if (endpoint.behave === 'refuse-format' && body['response_format'] !== undefined) return send(400, '{}');
    return send(
      200,
      JSON.stringify({
        model: endpoint.behave === 'other-model' ? 'other\u0000' : body['model'],
        choices: [{ message: { content: 'said' } }],
      }),
    );
  });
  const embeddings = (input: readonly string[]): unknown => {
    const vectorOf = (text: string): unknown => {
      if (endpoint.behave === 'zeros') return new Array(DIMENSION).fill(0);
      if (endpoint.behave === 'nan') return new Array(DIMENSION).fill('NaN');
      return embedWords(text, endpoint.behave === 'other-dimension' ? DIMENSION + 1 : DIMENSION);
    };
    const data = input.map((text) => ({ embedding: vectorOf(text) }));
    return { data: endpoint.behave === 'short' ? data.slice(1) : data };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint: ModelEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    behave: 'ok',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return endpoint;
};

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};
