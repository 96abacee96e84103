// The verbs of ControlService that register harnesses beside the configuration: projects and the scratchpad.
import { isAbsolute } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { quoted } from '../../core/config/errors.js';
import { projectName, SCRATCHPAD } from '../../core/config/project-name.js';
import type { TomlTable } from '../../core/config/source.js';
import type { Roster, RosterError } from '../daemon/roster.js';
import type { Supervisor } from '../supervise/supervisor.js';
import { callError } from './errors.js';
import type { HarnessDefinition, ProjectDownRequest, ProjectUpRequest, ScratchRunRequest } from './gen/harness/v1/control_pb.js';
import { start } from './harness-verbs.js';

interface ProjectDeps {
  readonly roster: Roster;
  readonly supervisor: Supervisor;
}

export const projectUp = async ({ name, root, harnesses }: ProjectUpRequest, { roster }: ProjectDeps) => {
  checkProject(name, root, harnesses);
  const before = roster.namesOf(name);
  const definitions = harnesses.map(({ name: each, definitionJson }) => ({
    name: each,
    definition: parseDefinition(each, definitionJson),
  }));
  const up = await roster.up({ name, root, definitions });
  if (E.isLeft(up)) throw refusal(name, up.left);
  return { harnesses: [...up.right], removed: before.filter((each) => !up.right.includes(each)) };
};

/** The client's own checks are no reason to trust it. */
const checkProject = (name: string, root: string, harnesses: readonly HarnessDefinition[]): void => {
  if (projectName(name) !== name) throw callError('invalid_project', `${quoted(name)} cannot be the name of a project`);
  if (!isAbsolute(root)) throw callError('invalid_project', `the root of project "${name}" must be an absolute path`);
  const names = harnesses.map((harness) => harness.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw callError('invalid_project', `project "${name}" defines ${quoted(twice)} twice`);
};

/** Answers when what the project ran has ended. */
export const projectDown = async ({ name, root }: ProjectDownRequest, { roster, supervisor }: ProjectDeps) => {
  const from = roster.projects().find((project) => project.name === name)?.root;
  if (root !== '' && from !== undefined && from !== root)
    throw callError('project_collision', `the project "${name}" is up from ${from}, not from ${root}`, `harness down ${name}`);
  const names = roster.namesOf(name);
  // What goes with its project was not stopped by anybody: it is there again when the project is.
  const removed = await roster.down(name);
  await Promise.all(names.map((each) => supervisor.gone(each)));
  if (removed !== undefined) return { removed: [...removed] };
  const known = roster.projects().map((project) => project.name);
  throw callError('unknown_project', `no project "${name}" is up`, known.length === 0 ? 'harness up' : `up: ${known.join(', ')}`);
};

export const scratchRun = async ({ name, definitionJson }: ScratchRunRequest, { roster, supervisor }: ProjectDeps) => {
  const free = name === '' ? freeName(parseDefinition(name, definitionJson), roster) : name;
  const full = `${SCRATCHPAD}/${free}`;
  if (supervisor.phase(full) !== 'stopped' && supervisor.phase(full) !== 'failed')
    throw callError('still_running', `"${full}" runs already`, `harness attach ${full}`);
  const made = roster.scratch({ name: free, definition: parseDefinition(free, definitionJson) });
  if (E.isLeft(made)) throw refusal(full, made.left);
  const { state, runId } = await start(made.right, { supervisor });
  return { harness: made.right.name, state, ...(runId === undefined ? {} : { runId }) };
};

export const remove = (harness: string, { roster, supervisor }: ProjectDeps) => {
  if (supervisor.active().some(({ key }) => key.harness === harness))
    throw callError('still_running', `"${harness}" runs`, `harness stop ${harness}`);
  if (roster.remove(harness)) return {};
  throw callError('unknown_harness', `"${harness}" is not of the scratchpad`, 'only what harness run made can be removed');
};

const parseDefinition = (name: string, text: HarnessDefinition['definitionJson']): TomlTable => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as TomlTable;
  } catch {
    // Answered below, without the text.
  }
  throw callError('bad_request', `the definition of "${name}" is no JSON object`);
};

/** `crush`, else `crush-2`, … */
const freeName = (definition: TomlTable, roster: Roster): string => {
  const taken = new Set(roster.current().harnesses.map(({ name }) => name));
  const word = typeof definition['harness'] === 'string' ? definition['harness'] : 'run';
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? word : `${word}-${number}`;
    if (!taken.has(`${SCRATCHPAD}/${name}`)) return name;
  }
};

const refusal = (name: string, error: RosterError) =>
  error.code === 'invalid_project'
    ? callError('invalid_project', error.errors.join('\n'))
    : callError('project_collision', `the project "${name}" is up from ${error.root}`, 'give one of them another [project] name');
