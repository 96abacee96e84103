// Cuts a byte stream into lines of bounded length without ever holding more than one line; what is longer is dropped and measured.

/** Longest line kept, in bytes. */
export const LINE_LIMIT_BYTES = 16 * 1_024 * 1_024;

export type StreamLine =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  /** The stream ended, or the process died, in the middle of this line. */
  | { readonly kind: 'partial'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly length: number };

export interface LineSplitter {
  readonly push: (chunk: Buffer) => readonly StreamLine[];
  readonly end: () => readonly StreamLine[];
}

const LF = 0x0a;

export const splitLines = (limit: number = LINE_LIMIT_BYTES): LineSplitter => {
  let parts: Buffer[] = [];
  let length = 0;

  const keep = (piece: Buffer): void => {
    length += piece.length;
    if (length <= limit) parts.push(piece);
    else parts = [];
  };
  const take = (kind: 'line' | 'partial'): StreamLine => {
    const line: StreamLine = length > limit ? { kind: 'too_long', length } : { kind, bytes: Buffer.concat(parts) };
    parts = [];
    length = 0;
    return line;
  };
  return {
    push: (chunk) => {
      const lines: StreamLine[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        keep(chunk.subarray(from, at));
        lines.push(take('line'));
        from = at + 1;
      }
      if (from < chunk.length) keep(Buffer.from(chunk.subarray(from)));
      return lines;
    },
    end: () => (length === 0 ? [] : [take('partial')]),
  };
};
