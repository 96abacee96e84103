// `harness reload`: loads the configuration again; a broken one changes nothing.
import { callDaemon } from '../daemon-call.js';
import { CliFailure, type Session } from '../session.js';

export const runReload = async (session: Session): Promise<void> => {
  const reply = await callDaemon(session, ({ control }) => control.reload({}));
  if (!reply.applied) throw new CliFailure('config_invalid', reply.errors.join('\n'), 'mend the file, then: harness reload');
  for (const warning of reply.warnings) session.notice(`warning: ${warning}`);
  session.print(session.json ? JSON.stringify({ applied: true, warnings: reply.warnings }) : 'the configuration is in force');
};
