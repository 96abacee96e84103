// Text from an agent on a terminal: no escape sequence, no control character but line break and tab, no change of direction.
import { stripControlsKeepingLines } from '../../core/kernel/text.js';

const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const forTerminal = (text: string): string => stripControlsKeepingLines(text).replace(DIRECTION, '');
