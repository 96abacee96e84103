// The verbs of ControlService that act on one harness: fire, start, restart, enable, disable.
import type { HarnessConfig } from '../../core/config/config.js';
import type { Supervisor } from '../supervise/supervisor.js';
import { callError } from './errors.js';

interface VerbDeps {
  readonly supervisor: Supervisor;
}

export const trigger = async (harness: HarnessConfig, overBudget: boolean, { supervisor }: VerbDeps) => {
  if (harness.kind === 'resident')
    throw callError('not_scheduled', `"${harness.name}" is a resident: it is started, not triggered`, `harness start ${harness.name}`);
  const firing = await supervisor.fire(harness, 'manual', overBudget ? { override: true } : {});
  if (firing.decision === 'refused' && firing.reason === 'shutting_down') throw callError('shutting_down', 'the daemon is stopping');
  if (firing.decision === 'refused')
    throw callError(
      'ledger_unavailable',
      `the ledger cannot be written, so the budget of "${harness.name}" cannot be kept`,
      'harness status',
    );
  return {
    decision: firing.decision,
    ...(firing.decision === 'queued' ? {} : { runId: BigInt(firing.run_id) }),
    reason: firing.decision === 'skipped' ? firing.reason : '',
  };
};

export const start = async (harness: HarnessConfig, deps: VerbDeps) => {
  if (harness.kind === 'resident') {
    await deps.supervisor.start(harness);
    return { ...lifeOf(harness.name, deps), reason: '' };
  }
  const { decision, reason, runId } = await trigger(harness, false, deps);
  return { state: decision === 'started' ? 'running' : decision, holds: [], reason, ...(runId === undefined ? {} : { runId }) };
};

export const restart = async (harness: HarnessConfig, deps: VerbDeps) => {
  requireResident(harness, 'restarted', `harness trigger ${harness.name}`);
  await deps.supervisor.restart(harness);
  return lifeOf(harness.name, deps);
};

export const enable = async (harness: HarnessConfig, enabled: boolean, now: boolean, deps: VerbDeps) => {
  requireResident(harness, enabled ? 'enabled' : 'disabled', `harness describe ${harness.name}`);
  await deps.supervisor.enable(harness, enabled);
  if (now && enabled) await deps.supervisor.start(harness);
  if (now && !enabled) await deps.supervisor.stop(harness.name);
  return { state: deps.supervisor.phase(harness.name) };
};

const requireResident = ({ name, kind }: HarnessConfig, what: string, hint: string): void => {
  if (kind !== 'resident') throw callError('not_resident', `"${name}" is a one-shot: only residents can be ${what}`, hint);
};

const lifeOf = (name: string, { supervisor }: VerbDeps) => {
  const run = supervisor.active().find(({ key }) => key.harness === name);
  return {
    state: supervisor.phase(name),
    holds: [...supervisor.view(name).holds],
    ...(run === undefined ? {} : { runId: BigInt(run.key.run_id) }),
    ...(run?.pid === undefined ? {} : { pid: BigInt(run.pid) }),
  };
};
