// The one place of the core that may catch: it turns a throwing built-in into an Either.
import * as E from 'fp-ts/lib/Either.js';

export const attempt = <A>(work: () => A): E.Either<string, A> => {
  try {
    return E.right(work());
  } catch (error) {
    return E.left(error instanceof Error ? error.message : String(error));
  }
};
