// Whether an argv and environment fit what the platform's exec takes (SPEC-0030 REQ-16 tests this before it adds a briefing).
import { utf8Length } from '../kernel/text.js';

/** Linux: one argument with its NUL may not exceed this many bytes. */
export const LINUX_ARGUMENT_BYTES = 131_072;
/** What is left unused below ARG_MAX, in bytes. */
export const ARGUMENT_SLACK_BYTES = 4_096;
const POINTER_BYTES = 8;

export interface Platform {
  readonly linux: boolean;
  /** ARG_MAX in bytes: 2 MiB on Linux with default limits, 1 MiB on macOS. */
  readonly argMax: number;
}

/** True when exec would take the arguments; `env` entries count as `NAME=VALUE`. */
export const fitsArguments = (argv: readonly string[], env: Readonly<Record<string, string>>, platform: Platform): boolean => {
  const strings = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const sizes = strings.map((text) => utf8Length(text) + 1);
  if (platform.linux && sizes.some((size) => size > LINUX_ARGUMENT_BYTES)) return false;
  return sizes.reduce((sum, size) => sum + size + POINTER_BYTES, 0) <= platform.argMax - ARGUMENT_SLACK_BYTES;
};
