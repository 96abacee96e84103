// Checks the arguments of a recall before anybody is asked; a refusal names the field and its bound (SPEC-0030 REQ-12).
import * as E from 'fp-ts/lib/Either.js';
import { codePointLength } from '../kernel/text.js';
import { LIMIT_MAX, PATHS_MAX, QUERY_CHARS } from '../provider/contract.js';
import { cleanRepoPath } from '../run/repo-path.js';

export const LIMIT_DEFAULT = 8;

export interface RecallRequest {
  readonly query: string;
  readonly paths: readonly string[];
  readonly limit: number;
}

export interface RecallInput {
  readonly query: string;
  readonly paths?: readonly string[];
  readonly limit?: number;
}

export interface InvalidArgument {
  readonly code: 'invalid_argument';
  readonly field: 'query' | 'paths' | 'limit';
  readonly message: string;
}

/** The request with its default limit and lexically cleaned, repository-relative paths. */
export const checkRecall = (input: RecallInput): E.Either<InvalidArgument, RecallRequest> => {
  const limit = input.limit ?? LIMIT_DEFAULT;
  const paths = input.paths ?? [];
  if (codePointLength(input.query) > QUERY_CHARS) return refuse('query', `query has more than ${QUERY_CHARS} characters`);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    return refuse('limit', `limit must be a whole number from 1 to ${LIMIT_MAX}`);
  if (paths.length > PATHS_MAX) return refuse('paths', `at most ${PATHS_MAX} paths may be given, these are ${paths.length}`);
  const clean = paths.map(cleanRepoPath);
  const wrong = clean.indexOf(undefined);
  if (wrong >= 0) return refuse('paths', `paths[${wrong}] must be relative to the repository and stay inside it`);
  return E.right({ query: input.query, limit, paths: clean.filter((path) => path !== undefined) });
};

const refuse = (field: InvalidArgument['field'], message: string): E.Either<InvalidArgument, never> =>
  E.left({ code: 'invalid_argument', field, message });
