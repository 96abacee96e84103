// Whether the provider may be used: a state machine over contract checks and calls (SPEC-0030 REQ-3, REQ-13).
import type { Instant } from '../kernel/time.js';
import { CONTRACT_VERSION, type ContractReply } from './contract.js';

export type ProviderState =
  | { readonly kind: 'unknown'; readonly since: Instant }
  | { readonly kind: 'ready'; readonly since: Instant; readonly name: string; readonly version: string }
  | { readonly kind: 'unavailable'; readonly since: Instant; readonly why: string }
  | { readonly kind: 'incompatible'; readonly since: Instant; readonly why: string };

export type ProviderEvent =
  | { readonly type: 'contract'; readonly reply: ContractReply }
  | { readonly type: 'missing_tool'; readonly tool: string }
  | { readonly type: 'failed'; readonly why: string }
  | { readonly type: 'answered' };

/** The next state; `since` moves only when the kind changes. */
export const stepProvider = (state: ProviderState, event: ProviderEvent, now: Instant): ProviderState => {
  switch (event.type) {
    case 'contract':
      return event.reply.contract === CONTRACT_VERSION
        ? { kind: 'ready', since: sinceOf(state, 'ready', now), name: event.reply.provider.name, version: event.reply.provider.version }
        : incompatible(state, `contract ${event.reply.contract} is not supported, ${CONTRACT_VERSION} is`, now);
    case 'missing_tool':
      return incompatible(state, `tool ${event.tool} is missing`, now);
    case 'failed':
      return state.kind === 'incompatible' ? state : { kind: 'unavailable', since: sinceOf(state, 'unavailable', now), why: event.why };
    case 'answered':
      return state;
  }
};

const incompatible = (state: ProviderState, why: string, now: Instant): ProviderState => ({
  kind: 'incompatible',
  since: sinceOf(state, 'incompatible', now),
  why,
});

const sinceOf = (state: ProviderState, kind: ProviderState['kind'], now: Instant): Instant => (state.kind === kind ? state.since : now);
