// What the main thread and a store worker say to each other.
import type { StoreErrorCode } from './store-error.js';

export type WorkerRole = 'writer' | 'reader';

export interface WorkerRequest {
  readonly id: number;
  readonly name: string;
  readonly args?: unknown;
}

export type WorkerReply =
  | { readonly id: number; readonly value: unknown; readonly error?: undefined }
  | { readonly id: number; readonly error: { readonly code: StoreErrorCode; readonly message: string } };
