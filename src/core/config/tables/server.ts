// `[server]` and `[project]`: what the daemon reads beside the global file, and what a project calls itself.
import type { Closed } from '../../kernel/closed.js';
import type { ServerConfig } from '../config.js';
import { text } from '../readers.js';
import type { PathFact } from '../source.js';

export const SERVER_FIELDS = { harness_d: { read: text } } as const;
export const PROJECT_FIELDS = { name: { read: text } } as const;

export const serverConfig = ({ harness_d }: Closed<typeof SERVER_FIELDS>, directory: PathFact | undefined): ServerConfig =>
  harness_d === undefined ? {} : { harness_d: directory?.path ?? harness_d };
