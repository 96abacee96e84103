// How a failure is told: a JSON object for programs, one plain line for pipes, a line and a hint for people.

export interface FailureText {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface FailureStyle {
  readonly json: boolean;
  readonly terminal: boolean;
  readonly color: boolean;
}

export const renderFailure = ({ code, message, hint }: FailureText, { json, terminal, color }: FailureStyle): string => {
  if (json) return JSON.stringify({ error: { code, message, ...(hint === '' ? {} : { hint }) } });
  const title = code.replace(/_/g, ' ');
  const line = message.includes('\n') ? `harness ${title}:\n${message}` : `harness ${title}: ${message}`;
  const mark = color ? '\u001b[31m✖\u001b[0m ' : '✖ ';
  if (!terminal) return hint === '' ? line : `${line} (${hint})`;
  return hint === '' ? `${mark}${line}` : `${mark}${line}\n  → ${hint}`;
};
