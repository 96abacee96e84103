// `harness init`: writes the commented example where the daemon will look for it; never over a file that is there.
import * as E from 'fp-ts/lib/Either.js';
import { writeInitFile } from '../../shell/config-files/init-file.js';
import { CliFailure, type Session } from '../session.js';

export const runInit = (session: Session): void => {
  const written = writeInitFile(session.configFile);
  if (E.isLeft(written)) throw new CliFailure('init_failed', written.left, `harness config check ${session.configFile}`);
  if (session.json) {
    session.print(JSON.stringify({ written: session.configFile }));
    return;
  }
  session.print(`wrote ${session.configFile}\nnext: define a harness in it, then: harness config check && harness daemon`);
};
