// The launchd agent of the daemon.
import { SERVICE_MARK, type ServiceDefinition, variablesOf } from './service-definition.js';

export const LAUNCHD_LABEL = 'harness.daemon';

/** A daemon that cannot start is tried no more often than this. */
const THROTTLE_SECONDS = 10;

export const renderLaunchdPlist = (definition: ServiceDefinition): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${SERVICE_MARK}: written by "harness service install", removed by "harness service uninstall". -->
<plist version="1.0">
<dict>
${[
  ['Label', text(LAUNCHD_LABEL)],
  ['ProgramArguments', `<array>\n${definition.argv.map((word) => `    ${text(word)}\n`).join('')}  </array>`],
  ['EnvironmentVariables', `<dict>\n${members(variablesOf(definition))}  </dict>`],
  ['RunAtLoad', '<true/>'],
  ['KeepAlive', '<dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>'],
  ['ThrottleInterval', `<integer>${THROTTLE_SECONDS}</integer>`],
  ['ExitTimeOut', `<integer>${definition.stopSeconds}</integer>`],
  ['ProcessType', text('Interactive')],
  ['StandardOutPath', text(definition.outputFile)],
  ['StandardErrorPath', text(definition.outputFile)],
]
  .map(([key, value]) => `  <key>${key}</key>\n  ${value}\n`)
  .join('')}</dict>
</plist>
`;

const members = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([key, value]) => `    <key>${escaped(key)}</key>\n    ${text(value)}\n`).join('');

const text = (value: string): string => `<string>${escaped(value)}</string>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (value: string): string => value.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
