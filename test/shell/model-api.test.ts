// The model API client against a real HTTP server: what is sent, what is believed, what is refused.
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChatClient } from '../../src/shell/model-api/chat.js';
import { BODY_LIMIT_BYTES, postJson } from '../../src/shell/model-api/http.js';
import { type ModelEndpoint, startModelEndpoint } from '../support/embedding-server.js';

let endpoint: ModelEndpoint;
beforeEach(async () => {
  endpoint = await startModelEndpoint();
});
afterEach(() => endpoint.close());

const ask = (deadline = 2_000) =>
  createChatClient({ base_url: endpoint.url, api_key: 'k' }, Date.now)(
    { model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 8, temperature: 0 },
    deadline,
  );

describe('a chat call', () => {
  test('is one request without tools or stream, with the key as bearer', async () => {
    expect(await ask()).toEqual(E.right({ content: 'said', served_model: 'm', input_tokens: 0, output_tokens: 0 }));
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]).toMatchObject({ path: '/v1/chat/completions', authorization: 'Bearer k', body: { n: 1, stream: false } });
    expect(Object.keys(endpoint.requests[0]?.body ?? {})).not.toContain('tools');
  });

  test.each([
    ['status-503', 'http_status'],
    ['redirect', 'http_status'],
    ['not-json', 'parse'],
    ['huge', 'too_large'],
    ['other-model', 'model_mismatch'],
  ] as const)('that meets %s fails as %s, once', async (behaviour, code) => {
    endpoint.behave = behaviour;
    expect(await ask()).toMatchObject({ _tag: 'Left', left: { code } });
    expect(endpoint.requests).toHaveLength(1);
  });

  test('that hangs ends at its deadline', async () => {
    endpoint.behave = 'hang';
    expect(await ask(200)).toEqual(E.left({ code: 'timeout', deadline_ms: 200 }));
  });

  test('to nobody is a transport failure', async () => {
    await endpoint.close();
    expect(await ask()).toMatchObject({ _tag: 'Left', left: { code: 'transport' } });
  });

  test('asks again without a response format only where it is refused, and remembers', async () => {
    endpoint.behave = 'refuse-format';
    const chat = createChatClient({ base_url: endpoint.url }, Date.now);
    const request = { model: 'm', messages: [], max_tokens: 8, temperature: 0, response_format: { type: 'json_object' } };
    expect(E.isRight(await chat(request, 2_000))).toBe(true);
    expect(E.isRight(await chat(request, 2_000))).toBe(true);
    expect(endpoint.requests.map(({ body }) => body['response_format'] !== undefined)).toEqual([true, false, false]);
    expect(endpoint.requests[0]?.authorization).toBeUndefined();
  });
});

describe('a body', () => {
  test(`of exactly ${BODY_LIMIT_BYTES} bytes is read, one more is refused`, async () => {
    endpoint.behave = 'exact-limit';
    expect(E.isRight(await postJson({ base_url: endpoint.url }, '/x', {}, 2_000))).toBe(true);
    endpoint.behave = 'huge';
    expect(await postJson({ base_url: endpoint.url }, '/x', {}, 2_000)).toEqual(E.left({ code: 'too_large' }));
  });
});
