// The ids of graph nodes: `<kind>:<key>` on one line, reversible (SPEC-0027 REQ-1).

/** Percent-encodes `% # @ :`, white space and what does not print, inside one component of a key. */
export const encodeKey = (component: string): string =>
  component.replace(/[%#@:\s\u0000-\u001f\u007f-\u009f]/g, (character) =>
    encodeURIComponent(character) === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(character),
  );

export const runNodeId = (harness: string, runId: number): string => `run:${encodeKey(harness)}#${runId}`;

/** `harness#id`, as provenance names a run. */
export const runName = (harness: string, runId: number): string => `${harness}#${runId}`;
