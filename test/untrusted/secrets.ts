// Secrets of every class, made when a test runs and never stored: each shape gives a text and the secret in it.
import type { RedactClass } from '../../src/core/untrusted/redact.js';
import { ALNUM, DIGITS, type Dice, HEX, LOWER, UPPER } from './dice.js';

export interface Planted {
  readonly text: string;
  /** What must not be found in the redacted text. */
  readonly secret: string;
  /** What must still be found: the label beside the secret. */
  readonly label: string;
}

export interface SecretShape {
  readonly class: RedactClass;
  readonly name: string;
  readonly make: (dice: Dice) => Planted;
}

const URLSAFE = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;
const PASSWORD = `${ALNUM}!%*+.^~#_-`;

const whole = (text: string): Planted => ({ text, secret: text, label: '' });
const behind = (label: string, secret: string, after = ''): Planted => ({ text: label + secret + after, secret, label });

/** Begins with a letter or digit, as a value must when no quote protects it. */
const password = (dice: Dice): string => dice.text(ALNUM, 1) + dice.text(PASSWORD, dice.between(5, 24)) + dice.text(DIGITS, 1);
const phrase = (dice: Dice): string => Array.from({ length: 4 }, () => dice.text(LOWER, dice.between(3, 8))).join(' ');
const userName = (dice: Dice): string => dice.text(LOWER, dice.between(1, 10));
const host = (dice: Dice): string => `${dice.text(LOWER, 6)}.example.${dice.pick(['com', 'org', 'dev'])}`;

const shape = (cls: RedactClass, name: string, make: (dice: Dice) => Planted): SecretShape => ({ class: cls, name, make });
const prefixed = (cls: RedactClass, name: string, prefixes: readonly string[], alphabet: string, low: number, high = low): SecretShape =>
  shape(cls, name, (dice) => whole(dice.pick(prefixes) + dice.text(alphabet, dice.between(low, high))));

const VENDOR_EXTRA: readonly SecretShape[] = [
  prefixed(0, 'stripe', ['sk_live_', 'rk_live_'], ALNUM, 24, 99),
  prefixed(0, 'google', ['AIza'], URLSAFE, 35),
  prefixed(0, 'npm', ['npm_'], ALNUM, 36),
  shape(0, 'sendgrid', (dice) => whole(`SG.${dice.text(URLSAFE, 22)}.${dice.text(URLSAFE, 43)}`)),
  prefixed(0, 'hugging face', ['hf_'], ALNUM, 34),
  prefixed(0, 'digitalocean', ['dop_v1_'], HEX, 64),
  prefixed(0, 'pypi', ['pypi-AgEIcHlwaS5vcmc'], URLSAFE, 60, 160),
  shape(0, 'slack webhook', (dice) => {
    const path = `T${dice.text(UPPER + DIGITS, 8)}/B${dice.text(UPPER + DIGITS, 8)}/${dice.text(ALNUM, 24)}`;
    return behind('https://hooks.slack.com/services/', path);
  }),
  shape(0, 'telegram', (dice) =>
    behind(`${dice.pick(['', 'bot'])}${dice.text('123456789', dice.between(8, 10))}:`, `A${dice.text(URLSAFE, 34)}`),
  ),
];

const SCHEMES = ['postgres', 'https', 'http', 'redis', 'amqp', 'mongodb+srv', 'ftp', 'mysql'];

const URLS: readonly SecretShape[] = [
  shape(1, 'password', (dice) => behind(`${dice.pick(SCHEMES)}://${userName(dice)}:`, password(dice), `@${host(dice)}:5432/main`)),
  shape(1, 'no user', (dice) => behind('redis://:', password(dice), `@${host(dice)}/0`)),
  shape(1, 'at sign inside', (dice) =>
    behind(`postgres://${userName(dice)}:`, `${password(dice)}@${password(dice)}`, `@${host(dice)}/main`),
  ),
  shape(2, 'token', (dice) => behind('https://', dice.text(ALNUM, dice.between(8, 40)), `@${host(dice)}/org/repo.git`)),
  shape(2, 'plain http', (dice) => behind('http://', dice.text(URLSAFE, dice.between(8, 40)), `@${host(dice)}`)),
];

const HEADERS: readonly SecretShape[] = [
  shape(3, 'scheme', (dice) => {
    const scheme = dice.pick(['Bearer', 'bearer', 'token', 'Token', 'Basic']);
    return behind(
      `${dice.pick(['Authorization', 'authorization', 'Proxy-Authorization'])}: ${scheme} `,
      dice.text(BASE64, dice.between(4, 60)),
    );
  }),
  shape(3, 'digest', (dice) => {
    const response = dice.text(HEX, 32);
    return {
      text: `Authorization: Digest username="u", realm="r", response="${response}"`,
      secret: response,
      label: 'Authorization: Digest ',
    };
  }),
  shape(3, 'bare', (dice) => behind(`Authorization${dice.pick([': ', '=', ':'])}`, dice.text(ALNUM, dice.between(8, 40)))),
  shape(3, 'another scheme', (dice) => ({
    ...behind('Authorization: Negotiate ', dice.text(ALNUM, dice.between(16, 60))),
    label: 'Authorization: ',
  })),
  shape(4, 'header', (dice) => {
    const name = dice.pick([
      'X-Api-Key',
      'api-key',
      'apikey',
      'X-Auth-Token',
      'auth-token',
      'access-token',
      'PRIVATE-TOKEN',
      'X-Gitea-Token',
      'gitea-token',
    ]);
    return behind(`${name}${dice.pick([': ', '=', ':'])}`, dice.text(URLSAFE, 1) + password(dice));
  }),
  shape(5, 'bearer', (dice) => behind(dice.pick(['bearer ', 'Bearer ', 'BEARER ']), dice.text(`${URLSAFE}.~+/`, dice.between(16, 80)))),
];

const VENDOR: readonly SecretShape[] = [
  prefixed(6, 'github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], ALNUM, 20, 36),
  prefixed(6, 'github fine-grained', ['github_pat_'], `${ALNUM}_`, 20, 82),
  prefixed(6, 'gitlab', ['glpat-'], URLSAFE, 20, 26),
  prefixed(6, 'slack', ['xoxa-', 'xoxb-', 'xoxp-', 'xoxr-', 'xoxs-'], `${ALNUM}-`, 10, 60),
  prefixed(6, 'sk', ['sk-', 'sk-ant-', 'sk-proj-'], URLSAFE, 20, 90),
  prefixed(6, 'aws', ['AKIA'], UPPER + DIGITS, 16),
  prefixed(6, 'vault', ['hvs.', 'hvb.', 'hvr.'], URLSAFE, 20, 90),
  shape(6, 'jwt', (dice) => whole(`eyJ${dice.text(URLSAFE, 20)}.${dice.text(URLSAFE, dice.between(8, 90))}.${dice.text(URLSAFE, 43)}`)),
];

const pemKinds = [
  'RSA PRIVATE KEY',
  'PRIVATE KEY',
  'EC PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'PGP PRIVATE KEY BLOCK',
];
const body = (dice: Dice): string[] => Array.from({ length: dice.between(1, 6) }, () => dice.text(BASE64, 64));

const PEM: readonly SecretShape[] = [
  shape(7, 'whole', (dice) => {
    const kind = dice.pick(pemKinds);
    const lines = body(dice);
    return { text: `-----BEGIN ${kind}-----\n${lines.join('\n')}\n-----END ${kind}-----`, secret: dice.pick(lines), label: '' };
  }),
  shape(7, 'escaped line ends', (dice) => {
    const kind = dice.pick(pemKinds);
    const lines = body(dice);
    return { text: `-----BEGIN ${kind}-----\\n${lines.join('\\n')}\\n-----END ${kind}-----\\n`, secret: dice.pick(lines), label: '' };
  }),
  shape(7, 'clipped', (dice) => {
    const lines = body(dice);
    return { text: `-----BEGIN ${dice.pick(pemKinds)}-----\n${lines.join('\n')}`, secret: dice.pick(lines), label: '' };
  }),
];

const NAMES = ['token', 'secret', 'password', 'passwd', 'passphrase', 'api_key', 'api-key', 'access_key', 'private_key', 'apiKey'];
const secretName = (dice: Dice): string => {
  const name = dice.pick(['', 'my_', 'DB_', 'client-', 'x.']) + dice.pick(NAMES);
  return dice.pick([name, name.toUpperCase()]);
};

const ASSIGNMENTS: readonly SecretShape[] = [
  shape(8, 'bare', (dice) => behind(`${secretName(dice)}${dice.pick(['=', ': ', ' = ', ':'])}`, password(dice))),
  shape(8, 'quoted', (dice) => {
    const quote = dice.pick(['"', "'", '`']);
    const secret = dice.pick([password(dice), phrase(dice)]);
    const label = `${secretName(dice)}${dice.pick([' = ', '=', ': ', ' := ', ' => '])}`;
    return { text: label + quote + secret + quote, secret, label };
  }),
  shape(8, 'quoted name', (dice) => {
    const secret = dice.pick([password(dice), phrase(dice)]);
    const label = `"${secretName(dice)}": `;
    return { text: `${label}"${secret}"`, secret, label };
  }),
  shape(8, 'encoded twice', (dice) => {
    const secret = dice.pick([password(dice), phrase(dice)]);
    const label = `{\\"${secretName(dice)}\\":`;
    return { text: `${label}\\"${secret}\\"}`, secret, label };
  }),
  shape(8, 'typed', (dice) => {
    const secret = phrase(dice);
    return { text: `const ${dice.pick(['password', 'apiKey'])}: string = '${secret}';`, secret, label: ': string = ' };
  }),
  shape(8, 'connection string', (dice) => behind('Server=db;User=app;Password=', password(dice), ';Database=main')),
  shape(8, 'query', (dice) => behind(`/cb?state=x&access_token=`, dice.text(ALNUM, dice.between(6, 40)), '&scope=all')),
];

const FLAGS = ['--password', '--passwd', '--token', '--api-key', '--secret', '--client-secret', '-password', '-token'];
const curl = (dice: Dice): string =>
  dice.pick(['curl -s -u ', 'curl --user ', 'curl -fsSLu ', "curl -H 'A: b' -X POST -u ", 'wget --user ', 'curl \\\n  -u ']);

const COMMANDS: readonly SecretShape[] = [
  shape(9, 'next word', (dice) => behind(`login ${dice.pick(FLAGS)} `, password(dice))),
  shape(9, 'quoted', (dice) => {
    const secret = phrase(dice);
    const label = `login ${dice.pick(FLAGS)} `;
    return { text: `${label}'${secret}'`, secret, label };
  }),
  shape(9, 'argument list', (dice) => {
    const secret = password(dice);
    return { text: `["login", "--token", "${secret}"]`, secret, label: '"--token", ' };
  }),
  shape(10, 'basic auth', (dice) => behind(`${curl(dice)}${userName(dice)}:`, password(dice), ` https://${host(dice)}/`)),
  shape(10, 'quoted', (dice) => behind(`${curl(dice)}"${userName(dice)}:`, phrase(dice), `" https://${host(dice)}/`)),
];

export const SECRET_SHAPES: readonly SecretShape[] = [...VENDOR_EXTRA, ...URLS, ...HEADERS, ...VENDOR, ...PEM, ...ASSIGNMENTS, ...COMMANDS];
