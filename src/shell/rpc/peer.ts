// Who is at the other end of a Unix socket: the kernel says, not the client (SO_PEERCRED on Linux, LOCAL_PEERCRED and
// LOCAL_PEERPID on macOS).
import type { Socket } from 'node:net';
import { platform } from 'node:os';
import koffi from 'koffi';

export interface Peer {
  readonly uid: number;
  readonly pid: number;
}

const LINUX = { level: 1, peercred: 17, bytes: 12 } as const;
const MACOS = { level: 0, peercred: 1, peerpid: 2, bytes: 76 } as const;

type GetSockOpt = (fd: number, level: number, option: number, value: Buffer, length: Buffer) => number;
let getsockopt: GetSockOpt | undefined;

/** The peer of a connected socket; undefined where the platform does not say. */
export const peerOf = (socket: Socket): Peer | undefined => {
  const fd = (socket as unknown as { _handle?: { fd?: number } })._handle?.fd;
  if (fd === undefined || fd < 0) return undefined;
  try {
    if (platform() === 'linux') return linuxPeer(fd);
    return platform() === 'darwin' ? macPeer(fd) : undefined;
  } catch {
    // A C library that is not where it usually is: the socket's mode still keeps other users out.
    return undefined;
  }
};

const linuxPeer = (fd: number): Peer | undefined => {
  const value = ask(fd, LINUX.level, LINUX.peercred, LINUX.bytes);
  return value === undefined ? undefined : { pid: value.readInt32LE(0), uid: value.readUInt32LE(4) };
};

const macPeer = (fd: number): Peer | undefined => {
  const credentials = ask(fd, MACOS.level, MACOS.peercred, MACOS.bytes);
  const pid = ask(fd, MACOS.level, MACOS.peerpid, 4);
  return credentials === undefined || pid === undefined ? undefined : { uid: credentials.readUInt32LE(4), pid: pid.readInt32LE(0) };
};

const ask = (fd: number, level: number, option: number, bytes: number): Buffer | undefined => {
  const value = Buffer.alloc(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes);
  getsockopt ??= load();
  return getsockopt(fd, level, option, value, length) === 0 ? value : undefined;
};

const load = (): GetSockOpt => {
  const libc = koffi.load(platform() === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6');
  return libc.func('int getsockopt(int, int, int, void *, void *)') as unknown as GetSockOpt;
};
