// Hashing is the shell's; the core is handed the function.

/** SHA-256 of the UTF-8 bytes of the text, as 64 lowercase hex characters. */
export type Digest = (text: string) => string;
