// The commands for what is remembered.
import { type Command, type CommandGroup, harnessArgument, limit, since, wide } from '../command.js';
import { flag, optional, session, text, whole } from '../flags.js';

const episodes: Command = {
  words: 'episodes [id]',
  describe: 'stored episodes, newest first, or one in full',
  options: (cli) =>
    cli
      .positional('id', { type: 'string', describe: 'an episode id' })
      .option('harness', { type: 'string', describe: 'of this harness only' })
      .option('repo', { type: 'string', describe: 'of this repository only: host/owner/name' })
      .option('since', since)
      .option('limit', limit)
      .option('wide', wide),
  run: async (flags) => {
    const { runMemoryEpisode, runMemoryEpisodes } = await import('../commands/memory-episodes.js');
    const id = text(flags, 'id');
    if (id !== '') return runMemoryEpisode(session(flags), id);
    return runMemoryEpisodes(session(flags), {
      harness: text(flags, 'harness'),
      repo: text(flags, 'repo'),
      since: optional(flags, 'since'),
      limit: whole(flags, 'limit', 1),
      wide: flag(flags, 'wide'),
    });
  },
};

const recall: Command = {
  words: 'recall <query>',
  describe: 'what an agent would find',
  options: (cli) =>
    cli
      .positional('query', { type: 'string', demandOption: true, describe: 'what to look for, at most 512 characters' })
      .option('repo', { type: 'string', describe: 'in this repository: host/owner/name' })
      .option('as', { type: 'string', describe: 'as this harness' })
      .option('paths', { type: 'string', array: true, default: [], describe: 'repository-relative paths that matter more' })
      .option('limit', { type: 'number', default: 0, describe: 'items per section, 1 to 20 (default 8)' }),
  run: async (flags) => {
    const { runMemoryRecall } = await import('../commands/memory-recall.js');
    await runMemoryRecall(session(flags), {
      query: String(flags['query'] ?? ''),
      repo: text(flags, 'repo'),
      as: text(flags, 'as'),
      paths: (flags['paths'] as readonly string[] | undefined) ?? [],
      limit: whole(flags, 'limit', 0),
    });
  },
};

export const MEMORY_COMMANDS: CommandGroup = {
  word: 'memory',
  describe: 'episodes, recall and briefings',
  ask: 'name a command: status, episodes, recall, briefing or provider',
  members: [
    {
      words: 'status',
      describe: 'the provider, what is stored and what waits',
      run: async (flags) => (await import('../commands/memory-status.js')).runMemoryStatus(session(flags)),
    },
    episodes,
    recall,
    {
      words: 'briefing <harness>',
      describe: 'what the harness would be told now',
      options: harnessArgument,
      run: async (flags) => (await import('../commands/memory-briefing.js')).runMemoryBriefing(session(flags), text(flags, 'harness')),
    },
    {
      word: 'provider',
      describe: 'the provider contract',
      ask: 'name a command: schema',
      members: [
        {
          words: 'schema',
          describe: 'print the JSON schemas of the four tools',
          run: async (flags) => (await import('../commands/provider-schema.js')).runProviderSchema(session(flags)),
        },
      ],
    },
  ],
};
