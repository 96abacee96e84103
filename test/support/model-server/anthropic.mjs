// Anthropic Messages, as far as Claude Code needs it: one streamed message per request.

/** @typedef {import('./main.d.mts').Reply} Reply */

const PIECES = /[\s\S]{1,16}/gu;

/** What the client itself puts around the prompt in the first user message. */
const REMINDERS = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

/**
 * @param {any} body
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @returns {import('./main.d.mts').Asked}
 */
export const askedOfMessages = (body, headers) => {
  const first = (body.messages ?? []).find((/** @type {any} */ message) => message.role === 'user');
  return {
    session: String(headers['x-claude-code-session-id'] ?? body.metadata?.user_id ?? ''),
    prompt: textOf(first?.content).replace(REMINDERS, '').trim(),
    tools: (body.tools ?? []).map((/** @type {any} */ tool) => String(tool.name)),
  };
};

/**
 * The server-sent events of one reply, in order.
 * @param {Reply} reply
 * @param {string} model
 * @param {number} n number of the request, for ids
 * @returns {{ event: string, data: unknown }[]}
 */
export const messageEvents = (reply, model, n) => {
  const { content, stop_reason, usage, ...head } = wholeMessage(reply, model, n);
  const start = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message: start },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} } },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ].map((data) => ({ event: data.type, data }));
};

/**
 * The reply as one message: what a client asks for after a stream broke.
 * @param {Reply} reply
 * @param {string} model
 * @param {number} n
 */
export const wholeMessage = (reply, model, n) => ({
  id: `msg_${n}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [
    ...(reply.say === '' ? [] : [{ type: 'text', text: reply.say }]),
    ...reply.calls.map(({ name, input }, i) => ({ type: 'tool_use', id: `toolu_${n}_${i}`, name, input })),
  ],
  stop_reason: reply.calls.length > 0 ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: usageOf(reply),
});

/** @param {number} status */
export const messageError = (status) => ({
  type: 'error',
  error: { type: ERROR_TYPES[status] ?? 'api_error', message: `scripted ${status}` },
});

/** @type {Record<number, string>} */
const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** @param {any} block */
const deltasOf = (block) =>
  block.type === 'text'
    ? (block.text.match(PIECES) ?? []).map((/** @type {string} */ piece) => ({ type: 'text_delta', text: piece }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];

/** Numbers that differ from turn to turn, so that a sum shows which ones went into it. @param {Reply} reply */
const usageOf = ({ turn }) => ({
  input_tokens: 101 + turn,
  cache_creation_input_tokens: 11,
  cache_read_input_tokens: 40,
  output_tokens: 21 + turn,
});

/** @param {unknown} content @returns {string} */
const textOf = (content) => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (typeof block?.text === 'string' ? block.text : '')).join('\n');
};
