// The public library: deterministic composition for those who replay or embed it.
export * as text from './kernel/text.js';
