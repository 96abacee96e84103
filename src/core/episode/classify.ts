// Names the class of a failed verify call: the reader's own, else derived from the command's summary (SPEC-0030 REQ-5).
import { byCodePoint, byNumber, descending, inTurn, on, sorted } from '../kernel/order.js';
import type { EventRow } from '../run/session.js';
import { CLASSES_MAX, type VerifyFailure } from './episode.js';

/** Failed verify calls counted by class: the ten highest counts, listed by class. */
export const countVerifyFailures = (events: readonly EventRow[]): readonly VerifyFailure[] => {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== 'tool_call' || event.action !== 'verify' || !event.is_error) continue;
    const name = verifyFailureClass(event);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const all = [...counts].map(([name, count]): VerifyFailure => ({ class: name, count }));
  return sorted(sorted(all, byCount).slice(0, CLASSES_MAX), byClass);
};

/** `test_failure`, `build_failure`, `lint_failure` or `verify_failure`, in this order of precedence. */
export const verifyFailureClass = (event: Pick<EventRow, 'error_class' | 'summary'>): string => {
  if (event.error_class !== undefined && event.error_class !== '') return event.error_class;
  const command = event.summary.toLowerCase();
  if (command.includes('test')) return 'test_failure';
  if (command.includes('build')) return 'build_failure';
  return command.includes('vet') || command.includes('lint') ? 'lint_failure' : 'verify_failure';
};

const byClass = on((failure: VerifyFailure) => failure.class, byCodePoint);
const byCount = inTurn(descending(on((failure: VerifyFailure) => failure.count, byNumber)), byClass);
