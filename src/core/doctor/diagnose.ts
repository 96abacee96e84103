// Facts in, report out: the order of the rows is the order in which a person would look.
import { checkFleet } from './check-fleet.js';
import { checkHost } from './check-host.js';
import { checkLives } from './check-lives.js';
import { checkMemory } from './check-memory.js';
import { checkStore } from './check-store.js';
import type { DoctorFacts } from './facts.js';
import { type Report, report } from './report.js';

export const diagnose = (facts: DoctorFacts): Report => {
  const { fleet, inside, now } = facts;
  return report([
    ...checkHost(facts),
    ...checkStore(facts),
    ...(fleet === undefined ? [] : checkFleet(fleet)),
    ...(inside === undefined ? [] : [...checkLives(inside), ...checkMemory(inside, now)]),
  ]);
};
