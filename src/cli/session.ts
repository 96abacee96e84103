// What every command is given: where the daemon and the configuration are, how to print, and how to fail.
import { configPath, type StatePaths, statePaths } from '../shell/files/state-paths.js';

export interface GlobalFlags {
  readonly socket?: string | undefined;
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

export interface Session {
  readonly paths: StatePaths;
  readonly configFile: string;
  readonly json: boolean;
  /** Colour only on a terminal, and never where NO_COLOR is set. */
  readonly color: boolean;
  readonly print: (text: string) => void;
  readonly notice: (text: string) => void;
}

export const openSession = (flags: GlobalFlags): Session => ({
  paths: statePaths(process.env, flags.socket),
  configFile: configPath(process.env, flags.config),
  json: flags.json === true,
  color: process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
  print: (text) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  },
  notice: (text) => {
    process.stderr.write(`${text}\n`);
  },
});

/** A failure that the user is told in one sentence, with what to do about it. */
export class CliFailure extends Error {
  readonly code: string;
  readonly hint: string;
  readonly exitCode: number;

  constructor(code: string, message: string, hint = '', exitCode = 1) {
    super(message);
    this.name = 'CliFailure';
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
