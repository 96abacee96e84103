// `harness demo`: the main job on embedded defaults, in a temporary directory, with no key and no network.
import { fileURLToPath } from 'node:url';
import { showDemo } from '../../demo/show.js';
import type { Session } from '../session.js';

export const runDemo = async (session: Session, keep: boolean): Promise<void> => {
  let step = 0;
  await showDemo({
    cli: fileURLToPath(new URL('./harness.js', import.meta.url)),
    agent: fileURLToPath(new URL('./demo-agent.js', import.meta.url)),
    keep,
    print: session.print,
    progress: (text) => {
      step += 1;
      session.notice(`[${step}] ${text}`);
    },
  });
};
