// The client side of the control plane, as the CLI uses it: gRPC over the daemon's Unix socket.

import { connect } from 'node:net';
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { AttachService } from './gen/harness/v1/attach_pb.js';
import { ControlService } from './gen/harness/v1/control_pb.js';
import { MemoryService } from './gen/harness/v1/memory_pb.js';
import { OperateService } from './gen/harness/v1/operate_pb.js';

export { describeCallError } from './errors.js';

/** A daemon that is well answers at once; calls that wait for a run say so. */
const ANSWER_MS = 20_000;
export const UNBOUNDED = { timeoutMs: 0 } as const;

export interface DaemonClient {
  readonly control: Client<typeof ControlService>;
  readonly attach: Client<typeof AttachService>;
  readonly memory: Client<typeof MemoryService>;
  readonly operate: Client<typeof OperateService>;
}

/** Calls fail with `unavailable` when nobody answers on the socket. */
export const connectDaemon = (socket: string, version: string): DaemonClient => {
  const sayVersion: Interceptor = (next) => (request) => {
    request.header.set('harness-client-version', version);
    return next(request);
  };
  const transport = createGrpcTransport({
    baseUrl: 'http://harness',
    interceptors: [sayVersion],
    nodeOptions: { createConnection: () => connect(socket) },
    idleConnectionTimeoutMs: 0,
    defaultTimeoutMs: ANSWER_MS,
    acceptCompression: [],
  });
  return {
    control: createClient(ControlService, transport),
    attach: createClient(AttachService, transport),
    memory: createClient(MemoryService, transport),
    operate: createClient(OperateService, transport),
  };
};
