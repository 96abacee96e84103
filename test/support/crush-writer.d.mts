import type { Database } from 'better-sqlite3';

export interface CrushWriter {
  readonly db: Database;
  readonly begin: (id: string, options?: { readonly ago?: number; readonly child?: boolean }) => void;
  readonly goOn: (id: string) => void;
  readonly rows: (kind: 'user' | 'edit' | 'run' | 'say' | 'cost' | 'version', ...said: readonly unknown[]) => void;
  readonly close: () => void;
}

export declare const crushWriter: (directory: string) => CrushWriter;
