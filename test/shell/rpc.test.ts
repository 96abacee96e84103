// The control plane on a real socket: every method has its tier, every refusal its code, and nothing a peer sends ends it.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectH2 } from 'node:http2';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MEMORY_SENTINELS } from '../../src/core/provider/errors.js';
import { connectDaemon, type DaemonClient, describeCallError } from '../../src/shell/rpc/client.js';
import { callError, ERROR_CODES, type ErrorCode } from '../../src/shell/rpc/errors.js';
import { AttachService } from '../../src/shell/rpc/gen/harness/v1/attach_pb.js';
import { ControlService } from '../../src/shell/rpc/gen/harness/v1/control_pb.js';
import { MemoryService } from '../../src/shell/rpc/gen/harness/v1/memory_pb.js';
import { OperateService } from '../../src/shell/rpc/gen/harness/v1/operate_pb.js';
import { authorizeMethod, METHOD_RULES, type Refusal, TIERS, type Tier } from '../../src/shell/rpc/methods.js';
import { type ControlServer, type ListenError, type LiveSpawns, listenOnSocket } from '../../src/shell/rpc/server.js';
import { testWorld } from '../support/stores.js';
import { verifies } from '../support/verifies.js';

let dir: string;
let socket: string;
let servers: ControlServer[];
let headers: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hrn-rpc-'));
  socket = join(dir, 'h.sock');
  servers = [];
  headers = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const routes = (router: ConnectRouter): ConnectRouter =>
  router.service(ControlService, {
    daemonInfo: (_request, context: HandlerContext) => {
      headers.push(context.requestHeader.get('harness-client-version') ?? '');
      return { version: 'stub' };
    },
    describe: ({ harness }) => {
      if (harness === 'broken') throw new Error('the handler is broken');
      throw callError('unknown_harness', `no harness "${harness}"`, 'harness list');
    },
    reload: () => ({ applied: true }),
  });

const listen = async (path = socket, spawns: LiveSpawns = () => [], world = testWorld()): Promise<ControlServer | ListenError> => {
  const server = await listenOnSocket(path, routes, spawns, world, '9.9.9');
  if ('close' in server) servers.push(server);
  return server;
};
const client = (): DaemonClient => connectDaemon(socket, '1.2.3');
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => describeCallError(error).code,
  );

describe('the table of methods', () => {
  const served = [ControlService, AttachService, MemoryService, OperateService].flatMap((service) =>
    service.methods.map((method) => `${service.typeName}/${method.name}`),
  );

  test('names every method that is served, and no other', () => {
    expect(Object.keys(METHOD_RULES).sort()).toEqual([...served].sort());
  });

  test('grants reading to read, starting and stopping to control, making an agent act to attach; reloading and copying the store are for operators alone', () => {
    const tierOf = (method: string): string =>
      `${METHOD_RULES[method]?.tier}${METHOD_RULES[method]?.operatorOnly === true ? ', operators' : ''}`;
    const controls = ['Trigger', 'Stop', 'Start', 'Restart', 'Enable', 'Disable'].map((method) => [method, 'control']);
    const attaches = ['ProjectUp', 'ProjectDown', 'ScratchRun', 'Remove', 'Attach'].map((method) => [method, 'attach']);
    const changing = Object.fromEntries([
      ...controls,
      ...attaches,
      ['Reload', 'control, operators'],
      ['BackupStore', 'attach, operators'],
    ]) as Readonly<Record<string, string>>;
    for (const method of served) expect([method, tierOf(method)]).toEqual([method, changing[method.split('/')[1] ?? ''] ?? 'read']);
  });
});

describe('authorization', () => {
  const read = 'harness.v1.MemoryService/Recall';
  const control = 'harness.v1.ControlService/Stop';
  const reload = 'harness.v1.ControlService/Reload';
  const rows: readonly (readonly [string, Tier | undefined, boolean, Refusal | undefined])[] = [
    [read, 'read', false, undefined],
    [read, 'attach', true, undefined],
    [read, undefined, false, 'unauthenticated'],
    [control, 'read', false, 'tier_too_low'],
    [control, 'control', true, undefined],
    [control, 'attach', false, undefined],
    [reload, 'read', false, 'tier_too_low'],
    [reload, 'attach', false, undefined],
    [reload, 'attach', true, 'supervised'],
    [reload, undefined, true, 'unauthenticated'],
    ['harness.v1.ControlService/Nothing', 'attach', false, 'unknown_method'],
    ['constructor', 'attach', false, 'unknown_method'],
    ['', undefined, false, 'unauthenticated'],
  ];
  test.each(rows)('of %s with tier %s, supervised %s: %s', (method, tier, supervised, refusal) => {
    expect(authorizeMethod(method, tier, supervised)).toBe(refusal);
  });

  test('is monotonous: a higher tier is refused nothing a lower one is granted', () => {
    for (const method of Object.keys(METHOD_RULES))
      for (const supervised of [true, false]) {
        const granted = TIERS.map((tier) => authorizeMethod(method, tier, supervised) === undefined);
        expect(granted).toEqual([...granted].sort());
      }
  });
});

describe('a call', () => {
  test('tells both versions', async () => {
    await listen();
    let told = '';
    await client().control.daemonInfo({}, { onHeader: (answer) => (told = answer.get('harness-daemon-version') ?? '') });
    expect([headers, told]).toEqual([['1.2.3'], '9.9.9']);
  });

  test('that fails carries its stable code, sentence and hint, and the gRPC code they map to', async () => {
    await listen();
    const error = await client()
      .control.describe({ harness: 'nope' })
      .catch((failure: unknown) => ConnectError.from(failure));
    expect((error as ConnectError).code).toBe(Code.NotFound);
    expect(describeCallError(error)).toEqual({ code: 'unknown_harness', message: 'no harness "nope"', hint: 'harness list' });
  });

  test('whose handler breaks is answered as internal and logged; the next one is served', async () => {
    const world = testWorld();
    await listen(socket, () => [], world);
    expect(await codeOf(client().control.describe({ harness: 'broken' }))).toBe('internal');
    expect(world.log.events).toContainEqual({
      event: 'rpc_failed',
      method: 'harness.v1.ControlService/Describe',
      error: 'the handler is broken',
    });
    expect(await codeOf(client().control.daemonInfo({}))).toBe('ok');
  });

  test('of a method or service that is not there is unimplemented', async () => {
    await listen();
    expect(await codeOf(client().control.stop({ harness: 'x' }))).toBe('unimplemented');
    expect(await codeOf(client().memory.status({}))).toBe('unimplemented');
  });

  test('with nobody behind the socket is unavailable', async () => {
    const error = await client()
      .control.daemonInfo({})
      .catch((failure: unknown) => failure);
    expect((error as { cause?: { code?: string } }).cause?.code).toBe('ENOENT');
  });

  verifies(['SPEC-0030/ERR/s3'], 'can fail with each of memory’s sentinels, which have a code of their own on the wire', () => {
    const sentinels = [
      'provider_unavailable',
      'provider_incompatible',
      'provider_reserved',
      'unknown_episode',
      'not_attributed',
      'no_repository',
    ];
    expect([...MEMORY_SENTINELS].sort()).toEqual([...sentinels].sort());
    for (const sentinel of MEMORY_SENTINELS) {
      const told = describeCallError(callError(sentinel, 'why', 'what to do'));
      expect(told).toEqual({ code: sentinel, message: 'why', hint: 'what to do' });
    }
  });

  test('codes map to gRPC as operators of other tools expect', () => {
    const expected: Partial<Record<ErrorCode, Code>> = {
      unknown_harness: Code.NotFound,
      unknown_run: Code.NotFound,
      unknown_episode: Code.NotFound,
      bad_request: Code.InvalidArgument,
      invalid_argument: Code.InvalidArgument,
      unknown_method: Code.Unimplemented,
      not_attributed: Code.FailedPrecondition,
      no_repository: Code.FailedPrecondition,
      unauthenticated: Code.Unauthenticated,
      tier_too_low: Code.PermissionDenied,
      supervised: Code.PermissionDenied,
      ledger_unavailable: Code.Unavailable,
    };
    expect(ERROR_CODES).toMatchObject(expected);
  });
});

describe('a supervised peer', () => {
  test('is refused what is for operators, and nothing else', async () => {
    const ourselves = { pid: process.pid };
    await listen(socket, () => [ourselves]);
    const { control } = client();
    expect(await codeOf(control.reload({}))).toBe('supervised');
    expect(await codeOf(control.daemonInfo({}))).toBe('ok');
  });

  test('is not whoever stands beside it: another live run changes nothing for an operator', async () => {
    const other = spawn('sleep', ['60']);
    await listen(socket, () => [{ pid: other.pid ?? 0, spawnId: 'f'.repeat(32) }]);
    expect(await codeOf(client().control.reload({}))).toBe('ok');
    other.kill('SIGKILL');
  });
});

describe('the socket', () => {
  const bytesLong = (length: number): string => join(dir, 'd'.repeat(length - Buffer.byteLength(dir) - 1));

  test('is its owner’s alone, in a directory made for it', async () => {
    const path = join(dir, 'run', 'deeper', 'h.sock');
    await listen(path);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(dir, 'run', 'deeper')).mode & 0o777).toBe(0o700);
  });

  test('may have a path of 103 bytes, and is refused by name with 104', async () => {
    expect(await listen(bytesLong(103))).toHaveProperty('close');
    const long = bytesLong(104);
    expect(await listen(long)).toMatchObject({ code: 'socket_path_too_long', message: expect.stringContaining(long) });
  });

  test('in use is refused and goes on serving', async () => {
    await listen();
    expect(await listen()).toMatchObject({ code: 'socket_in_use', message: expect.stringContaining(socket) });
    expect(await codeOf(client().control.daemonInfo({}))).toBe('ok');
  });

  test('of another kind of server is in use too', async () => {
    const other = createServer().listen(socket);
    await new Promise((resolve) => other.once('listening', resolve));
    expect(await listen()).toMatchObject({ code: 'socket_in_use' });
    await new Promise((resolve) => other.close(resolve));
  });

  test('left over from a crash is replaced', async () => {
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('up'))`,
    ]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    expect(existsSync(socket)).toBe(true);
    expect(await listen()).toHaveProperty('close');
    expect(await codeOf(client().control.daemonInfo({}))).toBe('ok');
  });

  test('does not take the place of a file', async () => {
    writeFileSync(socket, 'mine');
    expect(await listen()).toMatchObject({ code: 'socket_in_use', message: expect.stringContaining(socket) });
    expect(readFileSync(socket, 'utf8')).toBe('mine');
  });

  test('below something that is no directory is refused by name', async () => {
    writeFileSync(join(dir, 'file'), '');
    const path = join(dir, 'file', 'h.sock');
    expect(await listen(path)).toMatchObject({ code: 'socket_failed', message: expect.stringContaining(path) });
  });

  test('goes when its server closes', async () => {
    await listen();
    await servers.pop()?.close();
    expect(existsSync(socket)).toBe(false);
  });
});

describe('a peer that misbehaves', () => {
  const open = async (): Promise<Socket> => {
    const peer = connectSocket(socket);
    peer.on('error', () => undefined);
    await new Promise((resolve) => peer.once('connect', resolve));
    return peer;
  };
  const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

  test.each([
    ['garbage', Buffer.from('\u0000\u0001\u0002 garbage '.repeat(500))],
    ['HTTP/1', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
    ['a preface and garbage', Buffer.concat([Buffer.from(PREFACE), Buffer.alloc(2_000, 0xff)])],
    [
      'a frame of 16 MiB that it never sends',
      Buffer.concat([Buffer.from(PREFACE), settings, Buffer.from([255, 255, 255, 0, 0, 0, 0, 0, 1])]),
    ],
    ['half a preface', Buffer.from(PREFACE.slice(0, 10))],
    ['a preface and silence', Buffer.concat([Buffer.from(PREFACE), settings])],
    ['nothing', Buffer.alloc(0)],
  ])('with %s stops nobody else’s call, and not the server’s end', async (_what, bytes) => {
    const server = await listen();
    const peers = [await open(), await open()];
    for (const peer of peers) peer.write(bytes);
    peers[1]?.destroy();
    expect(await codeOf(client().control.daemonInfo({}))).toBe('ok');
    expect(await codeOf(client().control.daemonInfo({}))).toBe('ok');
    if ('close' in server) await server.close();
    servers = [];
    for (const peer of peers) peer.destroy();
  });

  test('with a body that is no message, or a path of no service, gets an answer', async () => {
    await listen();
    const session = connectH2('http://harness', { createConnection: () => connectSocket(socket) });
    const ask = (path: string, body: Buffer): Promise<string> =>
      new Promise((resolve) => {
        const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
        let status = '';
        let grpc = '';
        stream.on('response', (answer) => {
          status = String(answer[':status']);
          grpc = String(answer['grpc-status'] ?? '');
        });
        stream.on('trailers', (trailers) => (grpc = String(trailers['grpc-status'] ?? grpc)));
        stream.on('close', () => resolve(`${status} ${grpc}`));
        stream.resume().end(body);
      });
    const framed = (length: number, ...bytes: number[]): Buffer => Buffer.from([0, 0, 0, 0, length, ...bytes]);
    expect(await ask('/harness.v1.ControlService/Describe', framed(3, 0xff, 0xff, 0xff))).toMatch(/^200 [1-9]/);
    expect(await ask('/harness.v1.ControlService/Describe', framed(200, 1))).toMatch(/^200 [1-9]/);
    expect(await ask('/harness.v1.NoService/Nothing', framed(0))).toBe('404 ');
    expect(await ask('/../../etc/passwd', framed(0))).toBe('404 ');
    session.close();
    expect(await codeOf(client().control.daemonInfo({}))).toBe('ok');
  });
});
