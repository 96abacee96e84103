// The same store on this thread, for tests and for benchmarks' floors: the same operations, the same connections.
import { openForReading, openForWriting } from './open-database.js';
import { READ_OPERATIONS, runOperation, type Store, WRITE_OPERATIONS } from './operations.js';

export const openStoreInProcess = (file: string): Store => {
  const writer = openForWriting(file);
  const reader = openForReading(file);
  const answer = (work: () => unknown): Promise<never> =>
    new Promise((resolve) => {
      resolve(work() as never);
    });
  return {
    file,
    write: (name, args) => answer(() => runOperation(WRITE_OPERATIONS, writer, name, args)),
    read: (name, args) => answer(() => runOperation(READ_OPERATIONS, reader, name, args)),
    close: async () => {
      reader.close();
      writer.close();
    },
  };
};
