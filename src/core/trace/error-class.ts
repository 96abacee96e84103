// Why a model call failed, in the five classes that records and metrics know (SPEC-0013 REQ-3).

export const MODEL_ERROR_CLASSES = ['quota', 'auth', 'timeout', 'transport', 'other'] as const;
export type ModelErrorClass = (typeof MODEL_ERROR_CLASSES)[number];

/** What the clients themselves say, tried before anything general. */
const CLIENT_PHRASES: readonly (readonly [RegExp, ModelErrorClass])[] = [
  [/context[ _]window|prompt is too long|context_length|max_tokens/i, 'other'],
  [/currently experiencing high demand/i, 'transport'],
  [/usage limit|credit balance|billing_error|rate_limit|insufficient_quota|out of credits/i, 'quota'],
  [/authentication_|invalid api key|please run \/login|oauth token|permission_error/i, 'auth'],
  [/overloaded|server_error/i, 'transport'],
];

const GENERAL_PHRASES: readonly (readonly [RegExp, ModelErrorClass])[] = [
  [/quota|rate limit|too many requests|payment required|credits/i, 'quota'],
  [/unauthorized|forbidden|api key|credentials/i, 'auth'],
  [/timed? ?out|timeout|deadline/i, 'timeout'],
  [/refused|reset|connection|disconnected|network|dns|tls|certificate|econn|enotfound|socket|transport|fetch failed/i, 'transport'],
];

const STATUS_IN_TEXT = /\b(?:status|error)[: ]+([1-5]\d\d)\b/i;

/** Only the beginning of a message is looked at. */
const LOOKED_AT_UNITS = 2_048;

/** `status` is the HTTP status where the client gives one; else one written in the message counts. */
export const modelErrorClass = (message: string, status?: number): ModelErrorClass => {
  const text = message.slice(0, LOOKED_AT_UNITS);
  const written = STATUS_IN_TEXT.exec(text)?.[1];
  return (
    firstMatch(CLIENT_PHRASES, text) ??
    classOfStatus(status ?? (written === undefined ? undefined : Number(written))) ??
    firstMatch(GENERAL_PHRASES, text) ??
    'other'
  );
};

const classOfStatus = (status: number | undefined): ModelErrorClass | undefined => {
  if (status === 429 || status === 402) return 'quota';
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 504) return 'timeout';
  return status !== undefined && status >= 500 ? 'transport' : undefined;
};

const firstMatch = (phrases: readonly (readonly [RegExp, ModelErrorClass])[], text: string): ModelErrorClass | undefined =>
  phrases.find(([phrase]) => phrase.test(text))?.[1];
