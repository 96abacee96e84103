// Serves the control plane on a Unix socket: HTTP/2 without TLS, peers of another user dropped, tiers checked before any handler.

import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Http2Server, type Http2ServerRequest } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { type ConnectRouter, createContextKey, createContextValues, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { World } from '../daemon/world.js';
import { prepareSocketDirectory, SOCKET_PATH_BYTES } from '../files/state-paths.js';
import { ancestorsOf, carriersOf } from '../supervise/process-tree.js';
import { callError } from './errors.js';
import { authorizeMethod, METHOD_RULES } from './methods.js';
import { type Peer, peerOf } from './peer.js';

export type ListenError = { readonly code: 'socket_path_too_long' | 'socket_in_use' | 'socket_failed'; readonly message: string };

export interface ControlServer {
  readonly close: () => Promise<void>;
}

/** The spawns of ours that live now, to tell a supervised peer. */
export type LiveSpawns = () => readonly { readonly pid?: number; readonly spawnId?: string }[];

const PEER = Symbol('peer');
const peerKey = createContextKey<Peer | undefined>(undefined);

export const listenOnSocket = async (
  socketPath: string,
  routes: (router: ConnectRouter) => ConnectRouter,
  spawns: LiveSpawns,
  world: World,
  version: string,
): Promise<ControlServer | ListenError> => {
  if (Buffer.byteLength(socketPath) > SOCKET_PATH_BYTES)
    return { code: 'socket_path_too_long', message: `socket path ${socketPath} is longer than ${SOCKET_PATH_BYTES} bytes: set --socket` };
  const unfit = makeDirectory(socketPath);
  if (unfit !== undefined) return unfit;
  if (await isServed(socketPath))
    return { code: 'socket_in_use', message: `another daemon answers on ${socketPath}: stop it, or set --socket` };
  removeStale(socketPath);
  const adapter = connectNodeAdapter({
    routes: (router) => routes(router),
    interceptors: [sayVersion(version), guard(spawns, world)],
    contextValues: (request) => createContextValues().set(peerKey, peerOfRequest(request as Http2ServerRequest)),
    // A Unix socket gains nothing from compression.
    acceptCompression: [],
  });
  const open = (): Promise<OpenServer | ListenError> => openServer(createServer(adapter), socketPath, world);
  const first = await open();
  return 'code' in first ? first : keepListening(first, open, socketPath, world);
};

interface OpenServer {
  readonly close: () => Promise<void>;
}

const openServer = async (server: Http2Server, socketPath: string, world: World): Promise<OpenServer | ListenError> => {
  const sockets = new Set<Socket>();
  server.prependListener('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    admitPeer(socket, world);
  });
  server.on('sessionError', () => undefined);
  const failure = await listen(server, socketPath, world);
  return failure ?? { close: () => closeServer(server, sockets, socketPath) };
};

/** A runtime directory may be swept while the daemon lives, which would leave it out of reach: the socket is made anew. */
const keepListening = (first: OpenServer, open: () => Promise<OpenServer | ListenError>, path: string, world: World): ControlServer => {
  const servers = [first];
  let opening = false;
  const watch = setInterval(async () => {
    if (opening || existsSync(path)) return;
    opening = true;
    const again = makeDirectory(path) ?? (await open());
    opening = false;
    if ('code' in again) return world.log.error({ event: 'socket_error', error: again.message });
    servers.push(again);
    world.log.warn({ event: 'socket_reopened', socket: path });
  }, SOCKET_WATCH_MS);
  watch.unref();
  return {
    close: async () => {
      clearInterval(watch);
      await Promise.all(servers.map((server) => server.close()));
    },
  };
};

const admitPeer = (socket: Socket, world: World): void => {
  const peer = peerOf(socket);
  const own = process.getuid?.();
  if (peer !== undefined && own !== undefined && peer.uid !== own) {
    world.log.warn({ event: 'peer_refused', uid: peer.uid });
    socket.destroy();
    return;
  }
  Object.assign(socket, { [PEER]: peer });
};

const peerOfRequest = (request: Http2ServerRequest): Peer | undefined =>
  (request.stream?.session?.socket as unknown as { [PEER]?: Peer } | undefined)?.[PEER];

const sayVersion =
  (version: string): Interceptor =>
  (next) =>
  async (request) => {
    const response = await next(request);
    response.header.set('harness-daemon-version', version);
    return response;
  };

/** A socket peer of our own user holds the highest tier, unless one of our runs started it and the method is for operators. */
const guard =
  (spawns: LiveSpawns, world: World): Interceptor =>
  (next) =>
  async (request) => {
    const method = `${request.service.typeName}/${request.method.name}`;
    const peer = request.contextValues.get(peerKey);
    const asked = METHOD_RULES[method]?.operatorOnly === true;
    const supervised = asked && (peer === undefined || (await isSupervised(peer.pid, spawns())));
    const refusal = authorizeMethod(method, 'attach', supervised);
    if (refusal === 'supervised')
      throw callError('supervised', `${request.method.name} is for operators: a supervised run may not call it`);
    if (refusal !== undefined) throw callError(refusal, `${method} is not permitted`);
    try {
      return await next(request);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConnectError') {
        world.log.error({ event: 'rpc_failed', method, error: error instanceof Error ? error.message : String(error) });
        throw callError('internal', `${request.method.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
      throw error;
    }
  };

const isSupervised = async (pid: number, spawns: ReturnType<LiveSpawns>): Promise<boolean> => {
  const line = [pid, ...(await ancestorsOf(pid))];
  if (spawns.some((spawn) => spawn.pid !== undefined && line.includes(spawn.pid))) return true;
  for (const { spawnId } of spawns) if (spawnId !== undefined && (await carriersOf(spawnId)).includes(pid)) return true;
  return false;
};

const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(path);
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });

/** A socket nobody answers on is left over from a crash; anything else at that path is not ours to remove. */
const removeStale = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true });
};

const makeDirectory = (path: string): ListenError | undefined => {
  try {
    prepareSocketDirectory(path);
    return undefined;
  } catch (error) {
    return { code: 'socket_failed', message: `cannot make the directory of ${path}: ${(error as Error).message}` };
  }
};

/** Once it listens, an error is one connection that could not be accepted (no descriptor left): it is logged and the rest goes on. */
const listen = (server: Http2Server, path: string, { log }: World): Promise<ListenError | undefined> =>
  new Promise((resolve) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (server.listening) return log.error({ event: 'socket_error', error: error.message });
      const code = error.code === 'EADDRINUSE' ? 'socket_in_use' : 'socket_failed';
      resolve({ code, message: `cannot listen on ${path}: ${error.message}` });
    });
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve(undefined);
    });
  });

const CLOSE_GRACE_MS = 500;
const SOCKET_WATCH_MS = 2_000;

const closeServer = (server: Http2Server, sockets: ReadonlySet<Socket>, path: string): Promise<void> =>
  new Promise((resolve) => {
    const force = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(force);
      rmSync(path, { force: true });
      resolve();
    });
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
