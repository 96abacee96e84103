// `harness memory recall <query> (--repo R | --as H)`: the document an agent of that repository would get.
import { callDaemon } from '../daemon-call.js';
import { CliFailure, type Session } from '../session.js';

export interface RecallFlags {
  readonly query: string;
  readonly repo: string;
  readonly as: string;
  readonly paths: readonly string[];
  readonly limit: number;
}

export const runMemoryRecall = async (session: Session, { query, repo, as: asHarness, paths, limit }: RecallFlags): Promise<void> => {
  if (repo !== '' && asHarness !== '') throw new CliFailure('invalid_argument', '--repo and --as exclude each other: give one');
  if (repo === '' && asHarness === '')
    throw new CliFailure(
      'invalid_argument',
      'say where to recall: --repo HOST/OWNER/NAME, or --as HARNESS',
      'harness memory episodes lists the repositories',
    );
  const reply = await callDaemon(session, ({ memory }) => memory.recall({ query, repo, asHarness, paths: [...paths], limit }));
  session.print(session.json ? reply.structuredJson : reply.text);
};
