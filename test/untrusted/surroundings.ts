// Where a secret turns up: what stands around it in a terminal, a log, a file or a message.

export interface Surrounding {
  readonly name: string;
  readonly around: (text: string) => string;
}

const around = (name: string, before: string, after: string): Surrounding => ({ name, around: (text) => before + text + after });

export const SURROUNDINGS: readonly Surrounding[] = [
  around('alone', '', ''),
  around('in prose', 'The run printed ', ' and went on.'),
  around('at the end of a sentence', 'It answered: ', '.'),
  around('in quotes', 'echo "', '"'),
  around('in backticks', 'I set `', '` as you asked.'),
  around('in brackets', 'values (', ')'),
  around('in a list', '- first\n- ', '\n- last\n'),
  around('in a log line', '2026-01-02T03:04:05Z INFO app[12]: ', ' level=info'),
  around('in a diff', '@@ -1,2 +1,2 @@\n-old\n+', '\n context\n'),
  around('in a shell line', 'set -e; ', ' && echo done'),
  around('in colour', '\u001b[32m', '\u001b[0m'),
  around('in colour without escapes', '[1;31m', ' [0m'),
  around('behind an encoded line end', 'first line\\n', ' \\nlast line'),
  around('behind a tab', 'name\t', '\tnext'),
  around('between other scripts', 'ключ ', ' 秘密'),
  around('in a table', '| ', ' | yes |'),
  around('after a mask', '[REDACTED] ', ' [REDACTED]'),
  around('in a comment', '  # nosec gitleaks:allow noqa ', ' pragma: allowlist secret'),
];
