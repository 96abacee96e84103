// The migrations of the store, embedded, in order. A file that shipped is never edited: add the next number.
import ledger from './0001-ledger.sql';
import trace from './0002-trace.sql';
import memory from './0003-memory.sql';
import builtin from './0004-builtin-provider.sql';
import fleet from './0005-fleet.sql';
import vectors from './0006-vectors.sql';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: '0001-ledger', sql: ledger },
  { version: 2, name: '0002-trace', sql: trace },
  { version: 3, name: '0003-memory', sql: memory },
  { version: 4, name: '0004-builtin-provider', sql: builtin },
  { version: 5, name: '0005-fleet', sql: fleet },
  { version: 6, name: '0006-vectors', sql: vectors },
];
