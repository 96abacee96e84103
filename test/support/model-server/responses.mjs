// OpenAI Responses, as far as codex needs it: one streamed response per request.

/** @typedef {import('./main.d.mts').Reply} Reply */

/**
 * @param {any} body
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @returns {import('./main.d.mts').Asked}
 */
export const askedOfResponses = (body, headers) => {
  const input = Array.isArray(body.input) ? body.input : [];
  const tasks = input.filter((/** @type {any} */ item) => item.type === 'agent_message');
  const users = input.filter((/** @type {any} */ item) => item.type === 'message' && item.role === 'user');
  const late = input.flatMap((/** @type {any} */ item) => (item.type === 'additional_tools' ? (item.tools ?? []) : []));
  return {
    session: String(headers['thread-id'] ?? body.prompt_cache_key ?? ''),
    // A sub-agent has no prompt of a user; its task is a message of its parent.
    prompt: headers['x-openai-subagent'] === undefined ? firstPrompt(users.map(textOfItem)) : firstPrompt(tasks.map(textOfItem)),
    tools: [...(body.tools ?? []), ...late].flatMap(namesOf),
  };
};

/**
 * The server-sent events of one reply, in order.
 * @param {Reply} reply
 * @param {string} model
 * @param {number} n number of the request, for ids
 * @returns {{ event: string, data: unknown }[]}
 */
export const responseEvents = (reply, model, n) => {
  const response = wholeResponse(reply, model, n);
  return [
    { type: 'response.created', response: { id: response.id, model, status: 'in_progress' } },
    ...response.output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, ...(item.type === 'message' ? { content: [] } : {}) } },
      ...(item.type === 'message'
        ? [{ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta: reply.say }]
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ].map((data) => ({ event: data.type, data }));
};

/**
 * @param {Reply} reply
 * @param {string} model
 * @param {number} n
 */
export const wholeResponse = (reply, model, n) => ({
  id: `resp_${n}`,
  object: 'response',
  model,
  status: 'completed',
  output: [...(reply.say === '' ? [] : [messageItem(n, reply.say)]), ...reply.calls.map((call, i) => callItem(n, i, call))],
  usage: usageOf(reply),
});

/** @param {number} status */
export const responseError = (status) => ({
  error: { type: status === 429 ? 'rate_limit_exceeded' : 'server_error', code: null, message: `scripted ${status}` },
});

/** @param {number} n @param {string} text */
const messageItem = (n, text) => ({
  type: 'message',
  id: `msg_${n}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/**
 * A call whose input is text is a freeform ("custom") one; an object is a function's arguments.
 * @param {number} n
 * @param {number} i
 * @param {import('./main.d.mts').ToolCall} call
 */
const callItem = (n, i, call) => {
  const common = { call_id: `call_${n}_${i}`, name: call.name, ...(call.namespace === undefined ? {} : { namespace: call.namespace }) };
  if (typeof call.input === 'string') {
    return { type: 'custom_tool_call', id: `ct_${n}_${i}`, status: 'completed', ...common, input: call.input };
  }
  return { type: 'function_call', id: `fc_${n}_${i}`, status: 'completed', ...common, arguments: JSON.stringify(call.input) };
};

/** Numbers that differ from turn to turn; here the cached tokens are part of the input. @param {Reply} reply */
const usageOf = ({ turn }) => ({
  input_tokens: 101 + turn,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 21 + turn,
  output_tokens_details: { reasoning_tokens: 7 },
  total_tokens: 122 + 2 * turn,
});

/** The client puts its own context in front of the prompt, as user messages that open with a tag or a heading. @param {string[]} texts */
const firstPrompt = (texts) => texts.find((text) => !/^(<|# AGENTS\.md)/.test(text.trimStart())) ?? texts.at(-1) ?? '';

/** @param {any} tool @returns {string[]} */
const namesOf = (tool) =>
  tool.type === 'namespace'
    ? (tool.tools ?? []).map((/** @type {any} */ inner) => `${tool.name}.${inner.name}`)
    : [String(tool.name ?? tool.type)];

/** The content of a message to a sub-agent is meant to be encrypted; a model server that does not encrypt it gets it back as it was. */
const textOfItem = (/** @type {any} */ { content }) =>
  Array.isArray(content) ? content.map((part) => part?.text ?? part?.encrypted_content ?? '').join('\n') : '';
