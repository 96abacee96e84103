// The public library: what those who replay or embed Harness need, by name. Everything here is pure: no clock, no randomness, no
// I/O. Times are RFC 3339 UTC with nine fractional digits, durations milliseconds, "characters" Unicode code points.

/** Briefings: a snapshot in, the same bytes out (SPEC-0030 REQ-14). */
export { type Briefing, composeBriefing } from './briefing/compose.js';
export { type BriefingSnapshot, briefingQuery } from './briefing/snapshot.js';
/** Episodes: eligibility, assembly from a stored run, redaction, rendering (SPEC-0030 REQ-5, REQ-6, REQ-8). */
export { assembleEpisode, episodeId } from './episode/assemble.js';
export { eligibleSession, SKIP_REASONS, type SkipReason } from './episode/eligible.js';
export { EPISODE_FIELDS, type Episode, type RawEpisode, type SafeEpisode, type TrustClass } from './episode/episode.js';
export { renderEpisode } from './episode/render.js';
export { sanitizeEpisode, withSummary } from './episode/sanitize.js';
export { type Admission, type AdmittedItem, admitItems, DROP_REASONS, type DropReason, type IndexEntry } from './provider/admit.js';
/** The provider contract, and the admission of what a provider returns (SPEC-0030 REQ-3, REQ-9). */
export { CONTRACT_VERSION, PROVIDER_SCHEMAS, PROVIDER_TOOLS, type RecallItem } from './provider/contract.js';
export { visibleScopes } from './provider/visible-scopes.js';
export { composeRecall, type MemoryAnswer, type RecallSections } from './recall/compose.js';
export { episodeItem, type RecentRun, runItem } from './recall/items.js';
/** Recall documents (SPEC-0030 REQ-12). */
export { checkRecall, type InvalidArgument, type RecallInput, type RecallRequest } from './recall/request.js';
/** Run records: ledger lines and their fold (SPEC-0022 REQ-2). */
export { foldLine, foldLines } from './run/fold.js';
export type { LedgerLine, RunContext, RunRecord } from './run/record.js';
export type { EventRow, ResultRow, SessionRow, StoredRun } from './run/session.js';
export { PREAMBLE } from './untrusted/data-wrapper.js';
export { drawFence, type FencedText, fence, sanitizeAndCap } from './untrusted/fence.js';
/** The shared redactor, and the fence around untrusted text. */
export { type Finding, findings, MASK, RULES_VERSION, redact } from './untrusted/redact.js';
export type { StructuredContent } from './untrusted/structured-content.js';
export type { WrappedItem } from './untrusted/wrapped-item.js';
