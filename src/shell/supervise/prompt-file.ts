// Writes a run's prompt to its own 0600 file: temporary file in the same directory, then rename.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the file's absolute path. */
export const writePromptFile = (directory: string, runId: number, prompt: string): string => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${runId}.prompt`);
  const draft = `${path}.tmp`;
  writeFileSync(draft, prompt, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return path;
};
