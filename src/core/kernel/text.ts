// Text measured three ways (code points, UTF-8 bytes, estimated tokens) and cut without breaking a character.
// Written out because the core has no Buffer, TextEncoder or atob (SPEC-0030 REQ-3, REQ-12, REQ-14 name all three lengths).

/** Number of Unicode code points; what the specs call "characters". */
export const codePointLength = (text: string): number => {
  let count = 0;
  for (let i = 0; i < text.length; i += unitsAt(text, i)) count += 1;
  return count;
};

/** Number of bytes of the UTF-8 encoding. A lone surrogate counts as U+FFFD (3 bytes). */
export const utf8Length = (text: string): number => {
  let bytes = 0;
  for (let i = 0; i < text.length; i += unitsAt(text, i)) bytes += widthAt(text, i);
  return bytes;
};

/** Estimated model tokens: UTF-8 bytes over four, rounded up. */
export const estimatedTokens = (text: string): number => Math.ceil(utf8Length(text) / 4);

/** The longest prefix of at most `limit` code points. */
export const capCodePoints = (text: string, limit: number): string => {
  let count = 0;
  for (let i = 0; i < text.length; i += unitsAt(text, i)) {
    if (count === limit) return text.slice(0, i);
    count += 1;
  }
  return text;
};

/** The longest prefix of at most `limit` UTF-8 bytes that ends on a code-point boundary. */
export const capBytes = (text: string, limit: number): string => {
  let bytes = 0;
  for (let i = 0; i < text.length; i += unitsAt(text, i)) {
    bytes += widthAt(text, i);
    if (bytes > limit) return text.slice(0, i);
  }
  return text;
};

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
const CONTROLS_BUT_LF_TAB = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Removes every C0, DEL and C1 control character, LF and TAB included. */
export const stripControls = (text: string): string => text.replace(CONTROLS, '');

/** Removes control characters but keeps LF and TAB (the fence's and the wrapper's rule). */
export const stripControlsKeepingLines = (text: string): string => text.replace(CONTROLS_BUT_LF_TAB, '');

/** Turns each run of line breaks and tabs into one space, then removes the other control characters. */
export const toOneLine = (text: string): string => stripControls(text.replace(/[\n\r\t\u2028\u2029]+/g, ' '));

/** Decodes UTF-8 bytes; each invalid sequence becomes U+FFFD, as the WHATWG decoder does. A BOM is kept. */
export const decodeUtf8Lossy = (bytes: Uint8Array): string => {
  const parts: string[] = [];
  let units: number[] = [];
  for (let i = 0; i < bytes.length; ) {
    const { codePoint, length } = decodeAt(bytes, i);
    if (codePoint > 0xffff) {
      const rest = codePoint - 0x10000;
      units.push(0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    } else units.push(codePoint);
    i += length;
    if (units.length > 4096) {
      parts.push(String.fromCharCode(...units));
      units = [];
    }
  }
  return parts.join('') + String.fromCharCode(...units);
};

const unitsAt = (text: string, i: number): number => {
  const high = text.charCodeAt(i);
  if (high < 0xd800 || high > 0xdbff) return 1;
  const low = text.charCodeAt(i + 1);
  return low >= 0xdc00 && low <= 0xdfff ? 2 : 1;
};

const widthAt = (text: string, i: number): number => {
  if (unitsAt(text, i) === 2) return 4;
  const unit = text.charCodeAt(i);
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
};

const REPLACEMENT = 0xfffd;

const decodeAt = (bytes: Uint8Array, i: number): { codePoint: number; length: number } => {
  const lead = bytes[i] ?? 0;
  if (lead < 0x80) return { codePoint: lead, length: 1 };
  const shape = sequenceShape(lead);
  if (shape === undefined) return { codePoint: REPLACEMENT, length: 1 };
  let codePoint = lead & shape.mask;
  for (let k = 1; k <= shape.trailing; k += 1) {
    const byte = bytes[i + k];
    const low = k === 1 ? shape.firstLow : 0x80;
    const high = k === 1 ? shape.firstHigh : 0xbf;
    if (byte === undefined || byte < low || byte > high) return { codePoint: REPLACEMENT, length: k };
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  return { codePoint, length: shape.trailing + 1 };
};

interface SequenceShape {
  readonly trailing: number;
  readonly mask: number;
  readonly firstLow: number;
  readonly firstHigh: number;
}

const sequenceShape = (lead: number): SequenceShape | undefined => {
  if (lead >= 0xc2 && lead <= 0xdf) return { trailing: 1, mask: 0x1f, firstLow: 0x80, firstHigh: 0xbf };
  if (lead >= 0xe0 && lead <= 0xef)
    return { trailing: 2, mask: 0x0f, firstLow: lead === 0xe0 ? 0xa0 : 0x80, firstHigh: lead === 0xed ? 0x9f : 0xbf };
  if (lead >= 0xf0 && lead <= 0xf4)
    return { trailing: 3, mask: 0x07, firstLow: lead === 0xf0 ? 0x90 : 0x80, firstHigh: lead === 0xf4 ? 0x8f : 0xbf };
  return undefined;
};
