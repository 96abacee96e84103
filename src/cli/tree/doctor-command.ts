// The command that looks at everything.
import type { Command } from '../command.js';
import { optional, session } from '../flags.js';

export const DOCTOR_COMMAND: Command = {
  words: 'doctor',
  describe: 'look at everything and say what is not well; exits 1 when something failed',
  run: async (flags) => {
    const { runDoctor } = await import('../commands/doctor.js');
    return runDoctor(session(flags), { socket: optional(flags, 'socket'), config: optional(flags, 'config') });
  },
};
