/**
 * Bounds of reading and printing master files, each with its unit and reason.
 */
export const fileLimits = {
  /**
   * Bytes of one entry, all its lines together. The longest that is printed here is a CSYNC of all
   * types with some 655,000, a TXT of 65,535 bytes outside ASCII comes to 263,000.
   */
  entryBytes: 1024 * 1024,
  /** Refused lines that are listed; the rest is counted only. */
  listedErrors: 1000,
  /** Records of types that are not stored that are listed; a signed zone can hold millions. */
  listedSkipped: 100_000,
  /**
   * Bytes that are read again, in all, because a parenthesis above them was never closed. Several in
   * an ordinary file are each reported; a file made of nothing else must not cost more and more.
   */
  rereadBytes: 8 * 1024 * 1024,
  /** Records in a batch: enough to make passing one on cheap. */
  batchRecords: 1000,
  /** Characters of a text that are turned into bytes at a time. */
  textCharacters: 64 * 1024,
  /** Characters of a printed piece. */
  pieceCharacters: 64 * 1024,
} as const;
