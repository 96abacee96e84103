// Which scopes a caller may see: its repository's, and nothing for those without one (SPEC-0030 REQ-9).

export interface Caller {
  /** The repository of the current run, else of the workdir; absent outside every repository and for unattributed callers. */
  readonly repo?: string;
}

export const scopeOfRepo = (repo: string): string => `project:${repo}`;

/** At most two scope strings; never the fleet's. */
export const visibleScopes = ({ repo }: Caller): readonly string[] => (repo === undefined ? [] : [scopeOfRepo(repo)]);
