// Node, configuration, daemon and service.
import type { ConfigFacts, DoctorFacts } from './facts.js';
import { type CheckRow, counted, error, info, ok, warn } from './report.js';
import { roughly } from './spans.js';
import { isAtLeast } from './versions.js';

export const checkHost = (facts: DoctorFacts): readonly CheckRow[] => [
  checkNode(facts),
  ...checkConfig(facts.config),
  ...checkDaemon(facts),
  ...checkService(facts),
];

const checkNode = ({ node: { version, minimum } }: DoctorFacts): CheckRow =>
  isAtLeast(version, minimum)
    ? ok('node', version)
    : error('node', `${version} is older than ${minimum}`, `nvm install ${minimum.split('.')[0]}`);

const checkConfig = (config: ConfigFacts): readonly CheckRow[] => {
  switch (config.kind) {
    case 'missing':
      return [error('config', `there is no ${config.file}`, 'harness init')];
    case 'invalid': {
      const [first = '', ...rest] = config.errors;
      const more = rest.length === 0 ? '' : ` (and ${counted(rest.length, 'more error')})`;
      return [error('config', `${first}${more}`, 'harness config check')];
    }
    case 'loaded':
      return [
        ok('config', `${config.file}, ${counted(config.harnesses, 'harness', 'harnesses')}`),
        ...config.warnings.map((warning) => warn('config', warning, 'harness config show')),
      ];
  }
};

const checkDaemon = ({ now, version, daemon, service, config }: DoctorFacts): readonly CheckRow[] => {
  if (daemon.kind === 'silent') return [error('daemon', daemon.why, service === undefined ? 'harness service install' : service.start)];
  const { pid, started_at, harnesses, active_runs, config_errors, project_errors } = daemon;
  const [refused] = config_errors;
  const [unloaded] = project_errors;
  return [
    ok('daemon', `${daemon.version}, pid ${pid}, up ${roughly(now - started_at)}, ${active_runs} of ${harnesses} running`),
    ...(daemon.version === version
      ? []
      : [warn('daemon', `it is ${daemon.version}, this command is ${version}`, service?.restart ?? `kill ${pid} && harness daemon`)]),
    ...(refused === undefined
      ? []
      : [
          warn(
            'reload',
            `the last one was refused, the configuration before it is in force: ${refused}`,
            config.kind === 'loaded' ? 'harness reload' : 'harness config check && harness reload',
          ),
        ]),
    ...(unloaded === undefined ? [] : [warn('projects', `one that is up does not load any more: ${unloaded}`, 'harness status')]),
  ];
};

/** A daemon that nobody keeps is a choice; one that was installed should run, and outlive its user's last session. */
const checkService = ({ service }: DoctorFacts): readonly CheckRow[] => {
  if (service === undefined) return [];
  const { manager, active, up_to_date, linger, start, outlive } = service;
  const runs = active === 'active' || active === 'running';
  return [
    runs ? ok('service', `${manager}, ${active}`) : warn('service', `${manager} says: ${active}`, start),
    ...(up_to_date ? [] : [info('service', 'it would be written otherwise now', 'harness service install')]),
    ...(linger === false && outlive !== undefined ? [warn('linger', 'the daemon stops when you log out', outlive)] : []),
  ];
};
