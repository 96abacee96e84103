// What a terminal would show of a program's output, as lines of text: sequences that steer the terminal are left out, a carriage
// return that overwrites a line begins it anew. It comes before redaction, since a sequence inside a token would hide it.

/** Between chunks: the line so far, and a sequence that has begun. */
export interface TerminalTextState {
  readonly line: string;
  readonly sequence: string;
  /** A carriage return came, and what follows decides: a line feed ends the line, anything else overwrites it. */
  readonly returned: boolean;
}

export interface TerminalTextStep {
  readonly state: TerminalTextState;
  readonly lines: readonly string[];
}

export const TERMINAL_TEXT_START: TerminalTextState = { line: '', sequence: '', returned: false };

/** A full-screen program may never end a line: it is cut here, in UTF-16 units. */
export const TERMINAL_LINE_MAX = 16_384;
/** No sequence that means anything is longer; what is longer was none. */
const SEQUENCE_MAX = 4_096;

const ESC = '\u001b';
const BEL = '\u0007';

export const readTerminalText = (state: TerminalTextState, chunk: string): TerminalTextStep => {
  const lines: string[] = [];
  let { line, sequence, returned } = state;
  for (const character of chunk) {
    if (sequence !== '') {
      sequence += character;
      if (isComplete(sequence) || sequence.length > SEQUENCE_MAX) sequence = '';
      continue;
    }
    if (character === ESC) sequence = ESC;
    else if (character === '\n') {
      lines.push(line);
      line = '';
      returned = false;
    } else if (character === '\r') returned = true;
    else if (character === '\b') line = line.slice(0, -1);
    else if (isShown(character)) {
      line = returned ? character : line + character;
      returned = false;
      if (line.length >= TERMINAL_LINE_MAX) {
        lines.push(line);
        line = '';
      }
    }
  }
  return { state: { line, sequence, returned }, lines };
};

/** What stands in the line that was never ended. */
export const endTerminalText = ({ line }: TerminalTextState): readonly string[] => (line === '' ? [] : [line]);

/** CSI ends with a letter or sign, OSC and its kin with BEL or ST, everything else after one more character. */
const isComplete = (sequence: string): boolean => {
  const kind = sequence[1];
  const last = sequence[sequence.length - 1] ?? '';
  if (kind === undefined) return false;
  if (kind === '[') return sequence.length > 2 && last >= '@' && last <= '~';
  if (']PX^_'.includes(kind)) return last === BEL || (sequence.length > 3 && sequence.endsWith(`${ESC}\\`));
  return '()*+-./#% '.includes(kind) ? sequence.length > 2 : true;
};

/** Everything but the control characters of both sets; a tab is white space. */
const isShown = (character: string): boolean =>
  character === '\t' || (character >= ' ' && !(character >= '\u007f' && character <= '\u009f'));
