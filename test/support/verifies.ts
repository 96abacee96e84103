// A test that cites the requirements it proves; the gate reads the citations from the source text.
import { test } from 'vitest';
import type { RequirementId } from '../requirements.js';

/** Declares a test that proves the named requirements. Ids are checked by the compiler and by the gate. */
export const verifies = (ids: readonly RequirementId[], title: string, body: () => void | Promise<void>, timeout?: number): void => {
  test(`${title} [${ids.join(' ')}]`, body, timeout);
};
