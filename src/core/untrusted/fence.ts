// The fence around text that must be read as data: a tag whose closing half carries a nonce that the text cannot know
// (SPEC-0017 REQ-10; the briefing of SPEC-0030 REQ-16 and the model calls of SPEC-0032 REQ-8 use the same bytes).
import * as E from 'fp-ts/lib/Either.js';
import { capBytes, stripControlsKeepingLines, utf8Length } from '../kernel/text.js';

declare const fenced: unique symbol;

/** Text inside its fence. Only `fence` makes it. */
export type FencedText = string & { readonly [fenced]: true };

export type FenceError = 'nonce_in_content';

export interface FenceParts {
  /** Where the text came from, such as `webhook.gitea`. */
  readonly source: string;
  /** Which field it is, such as `event.title`. */
  readonly field: string;
  /** Already sanitized and capped; written as it is. */
  readonly content: string;
}

export const UNTRUSTED_LIMIT_BYTES = 4096;
export const ATTRIBUTE_LIMIT_BYTES = 128;
export const NONCE_ATTEMPTS = 8;

/** Fences the content. It is never cut here: a second cut would go through the first one's marker. */
export const fence = ({ source, field, content, nonce }: FenceParts & { readonly nonce: string }): E.Either<FenceError, FencedText> => {
  if (content.includes(nonce)) return E.left('nonce_in_content');
  const opening = `<untrusted-data source="${attribute(source)}" field="${attribute(field)}" nonce="${nonce}">`;
  return E.right(`${opening}\n${content}\n</untrusted-data nonce="${nonce}">` as FencedText);
};

/** Fences with the first of at most eight nonces that the content does not contain. */
export const drawFence = (source: string, field: string, content: string, nonces: readonly string[]): E.Either<FenceError, FencedText> => {
  const nonce = nonces.slice(0, NONCE_ATTEMPTS).find((candidate) => !content.includes(candidate));
  return nonce === undefined ? E.left('nonce_in_content') : fence({ source, field, content, nonce });
};

/** Well-formed text without control characters but LF and TAB. */
export const sanitize = (value: string): string => stripControlsKeepingLines(value.toWellFormed());

/** Sanitizes, then cuts at the limit in UTF-8 bytes; a cut is told in a last line that stands outside the limit. */
export const sanitizeAndCap = (value: string, limitBytes: number = UNTRUSTED_LIMIT_BYTES): string =>
  withMarker(sanitize(value), limitBytes);

const withMarker = (text: string, limitBytes: number): string => {
  const kept = capBytes(text, limitBytes);
  return kept.length === text.length ? text : `${kept}\n[truncated ${utf8Length(text) - utf8Length(kept)} bytes]`;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

/** Cut before it is escaped, so that no entity is cut in half. */
const attribute = (value: string): string =>
  capBytes(sanitize(value), ATTRIBUTE_LIMIT_BYTES)
    .replace(/[\n\t]/g, ' ')
    .replace(/[&"<>]/g, (character) => ESCAPES[character] ?? '');
