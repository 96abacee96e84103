// What the redactor masks, as data: one row per shape, in the order of its classes (SPEC-0030 REQ-6).
// Every pattern here is bounded; what may be long is read by a value reader, so that no line can cost more than its length.

/** Raised whenever a row is added, removed or changed. */
export const RULES_VERSION = 1;

/** The classes in order; a class number is the index of its name. */
export const CLASS_NAMES = [
  'vendor token (extra table)',
  'URL password',
  'URL token',
  'Authorization header',
  'token header',
  'bearer in prose',
  'vendor token',
  'PEM private key',
  'secret assignment',
  'secret flag',
  'curl or wget basic auth',
] as const;
export type RedactClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

export type Alphabet = 'alnum' | 'upper' | 'hex' | 'word' | 'url' | 'path' | 'token68';

/** What a value looks like, once its needle and label have been read. */
export type ValueShape =
  /** At least `min` characters of one alphabet; letters and digits glued to them go with them. */
  | { readonly kind: 'run'; readonly of: Alphabet; readonly min: number }
  /** Runs joined by dots: `first` characters after the needle, then `parts` more, each at least `min` long. */
  | { readonly kind: 'dotted'; readonly first: number; readonly parts: number; readonly min: number }
  /** Quoted or bare text that does not begin with one of `not`; `plain` words and references to an environment are no value. */
  | { readonly kind: 'free'; readonly not: string; readonly min: number; readonly plain: boolean }
  | { readonly kind: 'rest-of-line' | 'url-password' | 'url-token' | 'pem' };

/**
 * How a needle is looked for. A `name` stands before `=` or `:`, a `flag` after a dash, a `word` before a blank, each in any
 * case; a `prefix` ends in a rare character; a `literal` is anything else. Looking for the rare character first makes the
 * scan several times faster than looking for all needles at once.
 */
export type NeedleKind = 'name' | 'flag' | 'word' | 'prefix' | 'literal';

/** One shape. A needle is found by a scan for literals; only then is anything else looked at. */
export interface RedactRule {
  readonly class: RedactClass;
  readonly name: string;
  readonly needles: readonly string[];
  readonly needleKind: NeedleKind;
  /** Whether the needle must not continue a word. */
  readonly wordStart: boolean;
  /** Read from the needle's first character; absent, the needle itself as it is spelled. */
  readonly head?: RegExp;
  /** Whether the head is a label that stays. */
  readonly keepsHead: boolean;
  readonly value: ValueShape;
  /** Whether `${NAME:…}` is left alone: what stands in it is the shell's, not a value. */
  readonly notInExpansion: boolean;
}

const token = (
  cls: RedactClass,
  name: string,
  needles: readonly string[],
  of: Alphabet,
  min: number,
  more: Partial<RedactRule> = {},
): RedactRule => ({
  class: cls,
  name,
  needles,
  needleKind: 'prefix',
  wordStart: true,
  keepsHead: false,
  notInExpansion: false,
  value: { kind: 'run', of, min },
  ...more,
});

const labelled = (
  cls: RedactClass,
  name: string,
  needles: readonly string[],
  head: string,
  value: ValueShape,
  more: Partial<RedactRule> = {},
): RedactRule => ({
  class: cls,
  name,
  needles,
  needleKind: 'name',
  wordStart: false,
  head: new RegExp(head, 'iy'),
  keepsHead: true,
  notInExpansion: false,
  value,
  ...more,
});

/** Closes a quoted or indexed name: `"name"`, `\"name\"`, `env['NAME']`. */
const NAME_END = '["\'`\\\\\\]]{0,4}[ \\t]{0,8}';
/** A declared type between a name and its value, as in `secret: string = …`. */
const TYPED = "(?::[ \\t]{0,4}(?:string|str|&str|&'static str|bytes|any|option<string>|optional\\[str\\])[ \\t]{0,4}(?==))?";
/** `=` or `:`; `:=` and `=>` only before a literal, since otherwise code follows. */
const SEPARATOR = '(?:(?::=|=>)(?=[ \\t]{0,8}["\'`])|:(?![:=])|=(?![=>]))[ \\t]{0,8}';
const ASSIGNS = `${NAME_END}${TYPED}${SEPARATOR}`;
const SECRET_NAME = '(?:token|secret|password|passwd|passphrase|(?<=(?:api|access|private|secret)[_ -]?)key)';
const FLAG_NAME = '(?:password|passwd|token|(?<=api-)key|secret)';
const FLAG_START = '(?<=(?:^|[^a-z0-9_\\]-]|\\\\[nrt])--?(?:api-|client-)?)';
const HEADER_NAME = '(?:(?<=api-?)key|(?<=(?:auth|access|private|gitea)-)token)';
const QUOTES = '["\'`\\\\]{0,4}';
const AUTHORIZATION = `authorization${NAME_END}${SEPARATOR}`;
const SCHEME = '(?:bearer|token|basic|digest)[ \\t]{1,8}';

const HEADER_VALUE: ValueShape = { kind: 'free', not: '=[$', min: 1, plain: true };

const LITERAL = { needleKind: 'literal' } as const;

const VENDOR_EXTRA: readonly RedactRule[] = [
  token(0, 'stripe', ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'whsec_'], 'alnum', 16),
  token(0, 'google-api-key', ['AIza'], 'url', 35, LITERAL),
  token(0, 'google-oauth', ['ya29.', 'GOCSPX-'], 'url', 20),
  token(0, 'npm', ['npm_'], 'alnum', 36),
  token(0, 'sendgrid', ['SG.'], 'url', 16, { value: { kind: 'dotted', first: 16, parts: 1, min: 16 } }),
  token(0, 'hugging-face', ['hf_'], 'alnum', 30),
  token(0, 'digitalocean', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 'hex', 64),
  token(0, 'pypi', ['pypi-'], 'url', 32),
  token(0, 'slack-webhook', ['hooks.slack.com/'], 'path', 8, {
    ...LITERAL,
    wordStart: false,
    head: /hooks\.slack\.com\/(?:services|workflows|triggers)\//y,
    keepsHead: true,
  }),
  token(0, 'telegram-bot', [':A'], 'url', 35, {
    ...LITERAL,
    wordStart: false,
    head: /(?<=[0-9]{5}):(?=A)/y,
    keepsHead: true,
  }),
  token(0, 'aws-temporary', ['ASIA'], 'upper', 16, LITERAL),
  token(0, 'slack-app', ['xapp-'], 'url', 20),
  token(0, 'docker', ['dckr_pat_'], 'url', 20),
  token(0, 'gitlab-runner', ['glrt-', 'gldt-'], 'url', 20),
  token(0, 'shopify', ['shpat_', 'shpss_'], 'hex', 32),
  token(0, 'groq', ['gsk_'], 'alnum', 40),
];

const VENDOR: readonly RedactRule[] = [
  token(6, 'github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'alnum', 20, { wordStart: false }),
  token(6, 'github-fine-grained', ['github_pat_'], 'word', 20, { wordStart: false }),
  token(6, 'gitlab', ['glpat-'], 'url', 20, { wordStart: false }),
  token(6, 'slack', ['xoxa-', 'xoxb-', 'xoxp-', 'xoxr-', 'xoxs-'], 'url', 10),
  token(6, 'sk', ['sk-'], 'url', 20),
  token(6, 'aws', ['AKIA'], 'upper', 16, LITERAL),
  token(6, 'vault', ['hvs.', 'hvb.', 'hvr.'], 'url', 20),
  token(6, 'jwt', ['eyJ'], 'url', 8, { value: { kind: 'dotted', first: 5, parts: 2, min: 8 } }),
];

/** Every shape of one value, in class order. Class 10 reads a whole command and has a reader of its own. */
export const RULES: readonly RedactRule[] = [
  ...VENDOR_EXTRA,
  labelled(1, 'url-password', ['://'], '(?<=[a-z0-9+.-]):\\/\\/[^\\s\\/:@[\\]"\'`<>\\\\]{0,1024}:', { kind: 'url-password' }, LITERAL),
  labelled(2, 'url-token', ['://'], '(?<=https?):\\/\\/', { kind: 'url-token' }, LITERAL),
  labelled(3, 'authorization-digest', ['authorization'], `${AUTHORIZATION}${QUOTES}digest[ \\t]{1,8}`, { kind: 'rest-of-line' }),
  labelled(3, 'authorization-scheme', ['authorization'], `${AUTHORIZATION}${QUOTES}${SCHEME}${QUOTES}`, HEADER_VALUE),
  labelled(3, 'authorization-other-scheme', ['authorization'], `${AUTHORIZATION}${QUOTES}[a-z][a-z0-9-]{2,30}[ \\t]{1,8}`, {
    kind: 'run',
    of: 'token68',
    min: 16,
  }),
  labelled(3, 'authorization-bare', ['authorization'], `${AUTHORIZATION}(?!${QUOTES}${SCHEME})`, { ...HEADER_VALUE, min: 8 }),
  labelled(4, 'token-header', ['key', 'token'], `${HEADER_NAME}${NAME_END}${SEPARATOR}`, HEADER_VALUE),
  labelled(5, 'bearer', ['bearer'], 'bearer[ \\t]{1,8}', { kind: 'run', of: 'token68', min: 16 }, { needleKind: 'word', wordStart: true }),
  ...VENDOR,
  token(7, 'pem', ['-----BEGIN ', '---- BEGIN '], 'url', 0, {
    ...LITERAL,
    wordStart: false,
    head: /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}/y,
    value: { kind: 'pem' },
  }),
  labelled(
    8,
    'assignment',
    ['token', 'secret', 'password', 'passwd', 'passphrase', 'key'],
    `${SECRET_NAME}${ASSIGNS}`,
    { kind: 'free', not: '=-[$&', min: 1, plain: true },
    { notInExpansion: true },
  ),
  labelled(
    9,
    'flag',
    ['token', 'secret', 'password', 'passwd', 'key'],
    `${FLAG_START}${FLAG_NAME}(?:[ \\t]{1,8}(?:\\\\\\r?\\n[ \\t]{0,32})?|["'],[ \\t]{0,4}(?=["']))`,
    { kind: 'free', not: '-[$', min: 1, plain: false },
    { needleKind: 'flag' },
  ),
];
