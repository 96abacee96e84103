// Calls the daemon and turns whatever goes wrong into a failure that names the fix.
import { connectDaemon, type DaemonClient, describeCallError } from '../shell/rpc/client.js';
import { CliFailure, type Session } from './session.js';
import { VERSION } from './version.js';

export const callDaemon = async <A>(session: Session, call: (client: DaemonClient) => Promise<A>): Promise<A> => {
  try {
    return await call(connectDaemon(session.paths.socket, VERSION));
  } catch (error) {
    throw error instanceof CliFailure ? error : failureOf(error, session);
  }
};

/** What connecting to a socket fails with when no daemon is behind it. */
const NOBODY = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

const failureOf = (error: unknown, { paths }: Session): CliFailure => {
  const { code, message, hint } = describeCallError(error);
  const cause = (error as { cause?: { code?: string } }).cause?.code ?? '';
  if (code === 'unavailable' || NOBODY.includes(cause))
    return new CliFailure('no_daemon', `no daemon answers on ${paths.socket}`, 'harness daemon');
  if (code === 'deadlineexceeded')
    return new CliFailure(
      'no_answer',
      `the daemon on ${paths.socket} accepts calls but does not answer`,
      'harness runs and harness logs read the files once it is stopped',
    );
  if (code === 'unimplemented')
    return new CliFailure('old_daemon', `the daemon does not know this call: ${message}`, 'restart the daemon with this version');
  return new CliFailure(code, message, hint);
};

/** Nobody answers on the socket: what a command that has an offline form asks first. */
export const isNoDaemon = (error: unknown): boolean => error instanceof CliFailure && error.code === 'no_daemon';
