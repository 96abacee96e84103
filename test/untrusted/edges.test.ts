// Where a value ends, and which of two readings wins: single cases that the laws and the corpus only brush.
import { describe, expect, test } from 'vitest';
import { findings, redact } from '../../src/core/untrusted/redact.js';

const CASES: readonly (readonly [string, string, string])[] = [
  ['a quote that ends the text', 'echo "token=abc"', 'echo "token=[REDACTED]"'],
  ['an apostrophe inside a word', "password=it's", 'password=[REDACTED]'],
  ['a quoted word after a quoted word', "x('token=abc', 'y')", "x('token=[REDACTED]', 'y')"],
  ['an encoded quote that its text does not close', 'x = "{\\"token\\": \\"abc", y', 'x = "{\\"token\\": [REDACTED]", y'],
  ['three quotes', 'password = """abc def"""', 'password = [REDACTED]""'],
  ['a prefixed literal', "password = b'abc def'", 'password = [REDACTED]'],
  ['brackets that the value did not open', '(token=abc)', '(token=[REDACTED])'],
  ['brackets that the value opened', 'token=a(b)', 'token=[REDACTED]'],
  ['a call without a blank', 'token=next();', 'token=[REDACTED];'],
  ['a comma before the next member', '{token: abc, b: 1}', '{token: [REDACTED], b: 1}'],
  ['an ampersand inside a password', 'PASSWORD=ab&cd', 'PASSWORD=[REDACTED]'],
  ['an ampersand before the next parameter', 'token=ab&cd=e', 'token=[REDACTED]&cd=e'],
  ['an encoded line end', 'token=abc\\nnext', 'token=[REDACTED]\\nnext'],
  ['an expansion with a message', '${API_TOKEN:?must be set}', '${API_TOKEN:?must be set}'],
  ['a name that only begins like one', 'tokens=12 tokenizer=bpe', 'tokens=12 tokenizer=bpe'],
  ['a user name that reads like an assignment', 'https://token:abc@h/x', 'https://token:[REDACTED]@h/x'],
  ['a password with an at sign', 'https://u:a@b@h/x', 'https://u:[REDACTED]@h/x'],
  ['a port and an address on one line', '"http://h:3000","a@b.c"', '"http://h:3000","a@b.c"'],
  ['a key inside an assignment', 'token=abc-----BEGIN PRIVATE KEY-----\nxyz', 'token=[REDACTED]'],
  ['a call', 'token = next(1); secret = f("x")', 'token = next(1); secret = f("x")'],
  ['something that only looks like a call', 'password=abc(123', 'password=[REDACTED]'],
  ['an argument of a call', 'x = connect(password=abc)', 'x = connect(password=[REDACTED])'],
  ['a command after a pipe', 'curl x | docker run -u 1000:1000 y', 'curl x | docker run -u 1000:1000 y'],
  ['a separator in quotes', "curl 'a;b' -u u:abc", "curl 'a;b' -u u:[REDACTED]"],
  ['a command in another case', 'CURL -u u:abc', 'CURL -u u:abc'],
];

describe('redact', () => {
  test.each(CASES)('%s', (_name, text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  test('a mask that swallows a pipe or a quote moves no segment', () => {
    for (const text of [
      'wget my_token=x|y curl --user "f:a b" z',
      "curl token='a; b' ; docker run -u 1:2",
      'curl "token="x" ; run -u 1:2',
    ]) {
      expect(redact(redact(text))).toBe(redact(text));
    }
  });

  test('says which class found what, the first class where several did', () => {
    const text = 'token=https://u:pw@h Authorization: Bearer abc';
    expect(findings(text)).toEqual([
      { class: 1, start: 6, end: 20 },
      { class: 3, start: 43, end: 46 },
    ]);
  });
});
