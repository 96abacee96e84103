// Lines without a secret that look as if they had one: what a redactor must leave alone.
import { ALNUM, DIGITS, type Dice, diceOf, HEX, LOWER, UPPER } from './dice.js';

export interface NegativeKind {
  readonly name: string;
  readonly line: (dice: Dice) => string;
}

const BASE64 = `${ALNUM}+/`;
const NOUNS = [
  'token',
  'secret',
  'password',
  'key',
  'bearer',
  'run',
  'branch',
  'review',
  'header',
  'budget',
  'prompt',
  'cache',
  'user',
  'session',
];
const VERBS = [
  'expires',
  'changed',
  'was rotated',
  'is read from the environment',
  'failed',
  'must be set',
  'is unused',
  'was reset',
  'needs a scope',
];
const OPENINGS = ['The', 'A', 'Every', 'No', 'Our', 'This'];
const PACKAGES = ['left-pad', 'js-tokens', '@types/node', 'keyv', 'passport', 'secure-json-parse', 'token-types', 'path-key', 'strtok3'];
const NAMES = [
  'max_tokens',
  'input_tokens',
  'token_count',
  'tokenizer',
  'secretary',
  'passwordless',
  'keyboard',
  'monkey',
  'tokens',
  'keys',
];

const version = (dice: Dice): string => `${dice.below(9)}.${dice.below(30)}.${dice.below(12)}`;
const uuid = (dice: Dice): string => [8, 4, 4, 4, 12].map((length) => dice.text(HEX, length)).join('-');
const word = (dice: Dice): string => dice.text(LOWER, dice.between(2, 9));
const path = (dice: Dice): string => Array.from({ length: dice.between(2, 4) }, () => word(dice)).join('/');
const host = (dice: Dice): string => `${word(dice)}.example.com`;
const variable = (dice: Dice): string => dice.pick(['TOKEN', 'GITHUB_TOKEN', 'API_KEY', 'DB_PASSWORD', 'CLIENT_SECRET']);
const identifier = (dice: Dice): string => dice.pick(['token', 'secret', 'apiKey', 'password', 'accessKey']);

const hashes = (dice: Dice): string =>
  dice.pick([
    `commit ${dice.text(HEX, 40)}`,
    `${dice.text(HEX, 7)} Rotate the ${dice.pick(NOUNS)} of ${word(dice)}`,
    `index ${dice.text(HEX, 7)}..${dice.text(HEX, 7)} 100644`,
    `sha256:${dice.text(HEX, 64)}`,
    `${dice.text(HEX, 64)}  dist/${word(dice)}.tar.gz`,
    `Digest: sha512-${dice.text(BASE64, 86)}==`,
    `etag: W/"${dice.text(HEX, 32)}"`,
  ]);

const ids = (dice: Dice): string =>
  dice.pick([
    uuid(dice),
    `session_id=${uuid(dice)}`,
    `{"type":"assistant","uuid":"${uuid(dice)}","session_id":"${uuid(dice)}"}`,
    `toolu_${dice.text(ALNUM, 24)}`,
    `msg_${dice.text(ALNUM, 24)} req_${dice.text(ALNUM, 24)}`,
    `arn:aws:iam::${dice.text(DIGITS, 12)}:role/${word(dice)}`,
    `trace ${dice.text(HEX, 32)} span ${dice.text(HEX, 16)}`,
  ]);

const lockFiles = (dice: Dice): string => {
  const name = dice.pick(PACKAGES);
  return dice.pick([
    `    "node_modules/${name}": {`,
    `      "resolved": "https://registry.example/${name}/-/${word(dice)}-${version(dice)}.tgz",`,
    `      "integrity": "sha512-${dice.text(BASE64, 86)}==",`,
    `${name}@^${version(dice)}:`,
    `  resolved "https://packages.example/${name}/-/${word(dice)}-${version(dice)}.tgz#${dice.text(HEX, 40)}"`,
    `github.com/${word(dice)}/${word(dice)} v${version(dice)} h1:${dice.text(BASE64, 43)}=`,
    `checksum = "${dice.text(HEX, 64)}"`,
    `  resolution: {integrity: sha512-${dice.text(BASE64, 86)}==}`,
  ]);
};

const prose = (dice: Dice): string => {
  const sentence = (): string => `${dice.pick(OPENINGS)} ${dice.pick(NOUNS)} ${dice.pick(VERBS)}`;
  return dice.pick([
    `${sentence()}, and ${word(dice)} ${word(dice)} with it.`,
    `${sentence()}; see ${path(dice)} for why.`,
    `- ${sentence()} (${word(dice)}).`,
    `> ${sentence()} when a bearer ${dice.pick(NOUNS)} is ${word(dice)}.`,
    `Keep the ${dice.pick(NOUNS)} in an env file, never in ${word(dice)}.`,
    `| ${dice.pick(NOUNS)} | ${sentence()} | ${dice.below(100)} |`,
  ]);
};

const code = (dice: Dice): string =>
  dice.pick([
    `  const ${identifier(dice)} = process.env.${variable(dice)};`,
    `${identifier(dice)} := os.Getenv("${variable(dice)}")`,
    `    ${identifier(dice)} = os.environ["${variable(dice)}"]`,
    `const ${identifier(dice)} = ${word(dice)}(${word(dice)}, ${dice.below(9)});`,
    `  readonly ${identifier(dice)}: string;`,
    `  ${identifier(dice)}?: string | undefined,`,
    `if (${identifier(dice)} === undefined || ${identifier(dice)}.length < ${dice.below(40)}) return;`,
    `  return ${word(dice)}.filter((token) => token.kind === '${word(dice)}');`,
    `let ${dice.pick(NAMES)} = ${dice.below(9999)};`,
    `export const ${word(dice)} = (keys: readonly string[]): number => keys.length;`,
    `fn ${word(dice)}(token: &str) -> Token::${dice.text(UPPER, 1)}${word(dice)} {`,
    `  expect(${word(dice)}).toEqual([${dice.below(99)}, '${word(dice)}']);`,
    `import { ${word(dice)} } from './${path(dice)}.js';`,
  ]);

const shell = (dice: Dice): string =>
  dice.pick([
    `export ${variable(dice)}=$(cat ${path(dice)})`,
    `${variable(dice)}="$${variable(dice)}" npm test`,
    `echo \${${variable(dice)}:-} \${${variable(dice)}:-none}`,
    `curl -s -H "Authorization: Bearer $${variable(dice)}" https://${host(dice)}/${path(dice)}`,
    `docker run --rm -u ${dice.below(2000)}:${dice.below(2000)} -v ${path(dice)}:/${word(dice)} ${word(dice)}:${version(dice)}`,
    `git clone git@${host(dice)}:${path(dice)}.git`,
    `curl -fsSL https://${host(dice)}:${dice.between(1000, 9999)}/${path(dice)} | tar xz`,
    `login --password-stdin < ${path(dice)}`,
    `    token: \${{ secrets.${variable(dice)} }}`,
  ]);

const urls = (dice: Dice): string =>
  dice.pick([
    `https://${host(dice)}/@${word(dice)}/${path(dice)}`,
    `see https://${host(dice)}:${dice.between(1000, 9999)}/${path(dice)}?page=${dice.below(9)}#${word(dice)}`,
    `Author: ${word(dice)} <${word(dice)}@example.com>`,
    `ssh://git@${host(dice)}/${path(dice)}.git`,
    `[${word(dice)}](https://${host(dice)}/${path(dice)}) mails ${word(dice)}@example.org`,
    `Listening on http://localhost:${dice.between(1000, 9999)}, mail to ${word(dice)}@example.com`,
  ]);

const output = (dice: Dice): string =>
  dice.pick([
    `{"usage":{"input_tokens":${dice.below(99_999)},"cache_read_input_tokens":${dice.below(99_999)},"output_tokens":${dice.below(999)}}}`,
    `2026-01-${dice.between(10, 28)}T0${dice.below(9)}:00:00Z INFO tokens=${dice.below(99_999)} model=${word(dice)}-${dice.below(9)}`,
    ` ✓ ${path(dice)}.test.ts (${dice.below(99)} tests) ${dice.below(999)}ms`,
    `    at ${word(dice)} (file:///${path(dice)}.js:${dice.below(999)}:${dice.below(99)})`,
    `mcp_gitea_search_issues ${dice.below(999)} ${word(dice)}`,
    `+  "max_tokens": ${dice.below(9999)},`,
    `data:image/png;base64,${dice.text(BASE64, 120)}`,
    `error: unexpected token '${dice.pick([',', '}', ')'])}' at ${path(dice)}:${dice.below(99)}`,
    `drwxr-xr-x ${dice.below(9)} ${word(dice)} ${word(dice)} 4096 Jan ${dice.between(1, 28)} ${word(dice)}`,
    `password: [REDACTED]`,
  ]);

export const NEGATIVE_KINDS: readonly NegativeKind[] = [
  { name: 'hashes and checksums', line: hashes },
  { name: 'UUIDs and other ids', line: ids },
  { name: 'lock files', line: lockFiles },
  { name: 'prose', line: prose },
  { name: 'code', line: code },
  { name: 'shell and references to secrets', line: shell },
  { name: 'URLs and addresses', line: urls },
  { name: 'program output', line: output },
];

export const negativeLines = (kind: NegativeKind, count: number): readonly string[] => {
  const dice = diceOf(kind.name.length * 7919 + count);
  return Array.from({ length: count }, () => kind.line(dice));
};
