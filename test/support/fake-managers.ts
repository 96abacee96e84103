// Stand-ins for systemctl, loginctl and launchctl: they note what they are asked and remember what it made of the service.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeManagers {
  /** A directory for PATH. */
  readonly bin: string;
  /** The command lines so far, but questions. */
  readonly asked: () => readonly string[];
}

const SYSTEMCTL = `case "$*" in
  *' show '*) [ -e "$state/active" ] && echo ActiveState=active || echo ActiveState=inactive
              [ -e "$state/enabled" ] && echo UnitFileState=enabled || echo UnitFileState= ; exit 0;;
esac
note systemctl "$@"
case "$*" in
  *'enable --now'*) touch "$state/enabled" "$state/active";;
  *'disable --now'*) rm -f "$state/enabled" "$state/active";;
  *' enable '*) touch "$state/enabled";;
esac`;

const LOGINCTL = `[ -e "$state/linger" ] && echo Linger=yes || echo Linger=no`;

const LAUNCHCTL = `case "$1 $2" in
  'print gui/501') exit 0;;
  'print gui/501/harness.daemon')
    [ -e "$state/loaded" ] && printf 'harness.daemon = {\\n\\tstate = running\\n}\\n' && exit 0
    echo 'Could not find service "harness.daemon" in domain for user gui: 501' >&2; exit 113;;
esac
note launchctl "$@"
case "$1" in
  bootstrap) touch "$state/loaded";;
  bootout) rm -f "$state/loaded";;
esac`;

const SCRIPTS: Readonly<Record<string, string>> = { systemctl: SYSTEMCTL, loginctl: LOGINCTL, launchctl: LAUNCHCTL };

/** The stand-ins under `dir`; those named in `without` are missing. */
export const fakeManagers = (dir: string, without: readonly string[] = []): FakeManagers => {
  const bin = join(dir, 'bin');
  const log = join(dir, 'asked');
  mkdirSync(bin, { recursive: true });
  for (const [name, body] of Object.entries(SCRIPTS)) {
    if (without.includes(name)) continue;
    const head = `#!/bin/sh\nPATH=/usr/bin:/bin\nstate='${dir}'\nnote() { echo "$@" >> '${log}'; }\n`;
    writeFileSync(join(bin, name), `${head}${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { bin, asked: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []) };
};
