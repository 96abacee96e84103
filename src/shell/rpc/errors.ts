// The stable codes of failed calls and their place in gRPC's: one total mapping.
import { Code, ConnectError } from '@connectrpc/connect';
import type { MemorySentinel } from '../../core/provider/errors.js';
import { ErrorDetailSchema } from './gen/harness/v1/common_pb.js';

export const ERROR_CODES = {
  unknown_harness: Code.NotFound,
  unknown_run: Code.NotFound,
  unknown_episode: Code.NotFound,
  unknown_method: Code.Unimplemented,
  bad_request: Code.InvalidArgument,
  invalid_argument: Code.InvalidArgument,
  not_scheduled: Code.FailedPrecondition,
  not_attributed: Code.FailedPrecondition,
  no_repository: Code.FailedPrecondition,
  provider_reserved: Code.FailedPrecondition,
  provider_incompatible: Code.FailedPrecondition,
  provider_unavailable: Code.Unavailable,
  not_resident: Code.FailedPrecondition,
  input_refused: Code.FailedPrecondition,
  invalid_project: Code.InvalidArgument,
  project_collision: Code.AlreadyExists,
  unknown_project: Code.NotFound,
  still_running: Code.FailedPrecondition,
  no_log: Code.FailedPrecondition,
  backup_exists: Code.AlreadyExists,
  backup_failed: Code.FailedPrecondition,
  store_damaged: Code.DataLoss,
  unauthenticated: Code.Unauthenticated,
  tier_too_low: Code.PermissionDenied,
  supervised: Code.PermissionDenied,
  ledger_unavailable: Code.Unavailable,
  shutting_down: Code.Unavailable,
  internal: Code.Internal,
} as const satisfies Record<MemorySentinel, Code> & Record<string, Code>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A failed call: a stable code, a sentence that names what it is about, and a hint that can be pasted. */
export const callError = (code: ErrorCode, message: string, hint = ''): ConnectError =>
  new ConnectError(message, ERROR_CODES[code], undefined, [{ desc: ErrorDetailSchema, value: { code, message, hint } }]);

/** The code, message and hint of whatever a call failed with. */
export const describeCallError = (error: unknown): { readonly code: string; readonly message: string; readonly hint: string } => {
  const failure = ConnectError.from(error);
  const detail = failure.findDetails(ErrorDetailSchema)[0];
  return detail === undefined
    ? { code: Code[failure.code].toLowerCase(), message: failure.rawMessage, hint: '' }
    : { code: detail.code, message: detail.message, hint: detail.hint };
};
