// Which turn of a script answers a request: conversations are told apart by client session and first prompt, and each walks its own turns.
// Requests that offer the model no tools are a client's side questions (titles, summaries) and use up no turn.

/** @typedef {import('./main.d.mts').Script} Script */
/** @typedef {import('./main.d.mts').Turn} Turn */
/** @typedef {import('./main.d.mts').Reply} Reply */

const SIDE_REPLY = 'Side question answered.';
const AFTER_THE_SCRIPT = 'Done.';
const BROKEN_OFF = 'This answer stops before its end.';

/**
 * @param {Script} script
 * @returns {(asked: import('./main.d.mts').Asked) => Reply}
 */
export const playScript = (script) => {
  /** @type {Map<string, number>} */
  const played = new Map();
  const conversations = Array.isArray(script) ? [{ turns: script }] : script.conversations;
  return ({ session, prompt, tools }) => {
    if (tools.length === 0) return { turn: -1, conversation: -1, say: SIDE_REPLY, calls: [] };
    const conversation = conversations.findIndex(({ when }) => when === undefined || prompt.includes(when));
    const turns = conversations[conversation]?.turns ?? [];
    const key = JSON.stringify([session, conversation, prompt]);
    const turn = played.get(key) ?? 0;
    played.set(key, turn + 1);
    return { turn, conversation, ...replyOf(turns[turn]) };
  };
};

/**
 * @param {Turn | undefined} turn
 * @returns {Omit<Reply, 'turn' | 'conversation'>}
 */
const replyOf = (turn) => {
  if (turn === undefined) return { say: AFTER_THE_SCRIPT, calls: [] };
  const parts = Array.isArray(turn) ? turn : [turn];
  const last = parts.at(-1);
  const broken = last !== undefined && ('hang' in last || 'cut' in last);
  return {
    say: broken ? BROKEN_OFF : parts.flatMap((part) => ('say' in part ? [part.say] : [])).join(''),
    calls: parts.flatMap((part) => ('tool' in part ? [part.tool] : [])),
    ...(last && 'status' in last ? { status: last.status } : {}),
    ...(last && 'hang' in last ? { hang: true } : {}),
    ...(last && 'cut' in last ? { cut: true } : {}),
  };
};
