/**
 * What a check of the database can find, and what is to be done about it.
 *
 * The journal is the only truth: where it is damaged or incomplete, tables that were made from it may be the last
 * to know what is lost, so they are not made again from what is left.
 */

export const verifyCodes = [
  /** SQLite finds pages or indexes out of order. */
  'DATABASE_DAMAGED',
  /** The journal ends before events that something else knows of. */
  'EVENTS_MISSING_AT_END',
  /** An event does not follow on the one before it. */
  'EVENTS_MISSING',
  /** An event, or what it holds, is not what was hashed. */
  'EVENT_ALTERED',
  /** The content of an event is deleted, and no checkpoint or purge replaces it. */
  'CONTENT_MISSING',
  /** Blocks of a zone do not fit their checksums, or are missing. */
  'BLOCK_DAMAGED',
  /** A table that is read differs from what the journal makes of it. */
  'PROJECTION_DIFFERS',
  /** The journal can not be made into tables again. */
  'REBUILD_IMPOSSIBLE',
] as const;

export type VerifyCode = (typeof verifyCodes)[number];

export interface VerifyResult {
  readonly code: VerifyCode;
  /** The first event concerned; null where it is not about events. */
  readonly seq: number | null;
  /** The last event concerned, as far as it is known; null where it is one or none. */
  readonly to_seq: number | null;
  /** Names of the zones concerned, where they are known; 100 at most. */
  readonly zones: readonly string[];
  readonly problem: string;
}

/** `rebuild`: the journal is whole, and the tables are made from it again. */
export type Advice = 'none' | 'rebuild' | 'restore';

/** Codes after which nothing is lost by a rebuild. */
const rebuildable: ReadonlySet<VerifyCode> = new Set(['BLOCK_DAMAGED', 'PROJECTION_DIFFERS']);

export function adviceFor(findings: readonly Pick<VerifyResult, 'code'>[]): Advice {
  if (findings.length === 0) return 'none';
  return findings.every(({ code }) => rebuildable.has(code)) ? 'rebuild' : 'restore';
}

/** A finding that concerns one event, or none. */
export function verifyResult(
  code: VerifyCode,
  problem: string,
  more: Partial<Omit<VerifyResult, 'code' | 'problem'>> = {},
): VerifyResult {
  return { code, seq: null, to_seq: null, zones: [], ...more, problem };
}

/** What a finding says, as a line of text. */
export function sentenceOf({ seq, problem }: VerifyResult): string {
  return seq === null ? problem : `event ${seq} ${problem}`;
}
