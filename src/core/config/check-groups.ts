// A quota group that nobody declared would bound nothing (SPEC-0021 REQ-6).
import type { BudgetConfig } from './config.js';
import { type ConfigError, quoted, quotedList } from './errors.js';
import { errorAt } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

export const checkGroups = (drafts: readonly HarnessDraft[], groups: BudgetConfig['groups']): readonly ConfigError[] =>
  drafts.flatMap(({ section, values: { quota_group: group } }) => {
    if (group === undefined || Object.hasOwn(groups, group)) return [];
    const known = Object.keys(groups);
    const way = known.length === 0 ? `declare [budget.group.${group}]` : `declared: ${quotedList(known)}`;
    return [errorAt(section, 'unresolved', 'quota_group', `= ${quoted(group)} names no quota group; ${way}`)];
  });
