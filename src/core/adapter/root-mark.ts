// claude refuses to accept everything as root unless its environment says that it runs in a sandbox.
import type { Adapter } from './declaration.js';
import type { OptionValues } from './render.js';

/** Whether a start as root is refused by the client before it does anything. Only a client that is given the very flag is meant. */
export const refusesRoot = (adapter: Adapter, options: OptionValues, env: Readonly<Record<string, string>>): boolean =>
  adapter.family === 'claude-code' &&
  options.auto_accept === true &&
  (adapter.options.auto_accept ?? []).includes('--dangerously-skip-permissions') &&
  (env['IS_SANDBOX'] ?? '') === '';
