// Harness definitions for the scripted agent.
import { join } from 'node:path';

const AGENT = join(import.meta.dirname, 'scripted-agent.mjs');

/** The adapter table that runs the scripted agent as a client of the claude family. */
export const SCRIPTED_ADAPTER = `[adapter.scripted]
extends = "claude-code"
executable = ${JSON.stringify(process.execPath)}
one_shot = [${[AGENT, '--session-id', '{{session_id}}', '--', '{{prompt}}'].map((part) => JSON.stringify(part)).join(', ')}]
`;

/** A harness whose prompt is a script of steps. */
export const scriptedHarness = (name: string, workdir: string, steps: readonly object[], more = ''): string =>
  `[harness.${name}]\nharness = "scripted"\nworkdir = ${JSON.stringify(workdir)}\nprompt = ${JSON.stringify(JSON.stringify(steps))}\n${more}\n`;
