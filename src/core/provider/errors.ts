// What can go wrong with a memory provider, as one union, each with what it is about (SPEC-0030, Error Handling).

export type ProviderError =
  | { readonly code: 'provider_timeout'; readonly provider: string; readonly deadline_ms: number; readonly phase: ProviderPhase }
  | { readonly code: 'provider_error'; readonly provider: string; readonly phase: ProviderPhase; readonly message: string }
  | { readonly code: 'provider_invalid_reply'; readonly provider: string; readonly phase: ProviderPhase; readonly message: string }
  | { readonly code: 'provider_incompatible'; readonly provider: string; readonly phase: ProviderPhase; readonly message: string };

/** How far a call got. */
export const PROVIDER_PHASES = ['connect', 'contract', 'call', 'reply'] as const;
export type ProviderPhase = (typeof PROVIDER_PHASES)[number];

/** The sentinels of SPEC-0030; what an operator or an agent is told apart. */
export const MEMORY_SENTINELS = [
  'provider_unavailable',
  'provider_incompatible',
  'provider_reserved',
  'unknown_episode',
  'not_attributed',
  'no_repository',
] as const;
export type MemorySentinel = (typeof MEMORY_SENTINELS)[number];

/** One line for the log; the provider's own words were redacted and cut when the error was made. */
export const describeProviderError = (error: ProviderError): string => {
  switch (error.code) {
    case 'provider_timeout':
      return `no answer within ${error.deadline_ms} ms (${error.phase})`;
    case 'provider_error':
    case 'provider_invalid_reply':
    case 'provider_incompatible':
      return `${error.message} (${error.phase})`;
  }
};
