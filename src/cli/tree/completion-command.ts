// The command that teaches a shell the others.
import type { Command } from '../command.js';
import { SHELLS } from '../completion/shells.js';
import { session, text } from '../flags.js';

export const COMPLETION_COMMAND: Command = {
  words: 'completion <shell>',
  describe: 'print a script that completes commands, flags and harnesses',
  options: (cli) => cli.positional('shell', { type: 'string', choices: SHELLS, demandOption: true, describe: 'the shell to teach' }),
  run: async (flags) => (await import('../commands/completion.js')).runCompletion(session(flags), text(flags, 'shell')),
};
