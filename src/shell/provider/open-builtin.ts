// Opens the built-in provider over an in-process transport: the same session and the same checks as for any upstream.
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { BUILTIN_PROVIDER, type BuiltinOptions, createBuiltinServer } from './builtin-server.js';
import { connectProvider, type Provider } from './provider.js';

export const openBuiltinProvider = (options: BuiltinOptions): Provider =>
  connectProvider(
    BUILTIN_PROVIDER,
    async () => {
      const [client, server] = InMemoryTransport.createLinkedPair();
      await createBuiltinServer(options).connect(server);
      return client;
    },
    options.version,
    options.world,
  );
