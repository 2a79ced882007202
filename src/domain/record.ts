/**
 * Records of a zone with their identity, and owner names as callers write them.
 */
import { excerpt, Problem } from '../base/problem.ts';
import {
  isWithin,
  joinNames,
  keyFromLabels,
  NameError,
  type NameKey,
  parseAbsoluteName,
  printAbsoluteName,
  relativeTo,
  splitNameText,
} from '../dns/name.ts';
import type { RecordValue } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';

/** A user record: its id is stable and never reused. Owner is relative to the apex. */
export interface ZoneRecord extends ResourceRecord {
  readonly id: number;
  /** Milliseconds since 1970: the time of the event that first added the id. */
  readonly createdAt: number;
}

/** A record as a caller writes it; checked when it is decided on. */
export interface RecordInput {
  readonly name: string;
  readonly type: string;
  readonly value: RecordValue;
  readonly ttl?: number | undefined;
  readonly priority?: number | undefined;
}

/**
 * An absolute name as a caller wrote it in a field, with or without closing dot. Throws `code`, with the field.
 */
export function parseNameIn(
  field: string,
  text: string,
  code: 'INVALID_INPUT' | 'INVALID_RECORD_NAME' = 'INVALID_INPUT',
): NameKey {
  try {
    return parseAbsoluteName(text.trim());
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    throw new Problem(code, `${field}: '${excerpt(text)}' ${error.message}`);
  }
}

/**
 * The owner a caller means: `@`, a relative name, an absolute name with closing dot inside the zone,
 * or a name that ends in the zone's own name without dot (taken as absolute).
 * Throws INVALID_RECORD_NAME.
 */
export function parseOwner(text: string, apex: NameKey): NameKey {
  const trimmed = text.trim();
  const problem = (reason: string) =>
    new Problem('INVALID_RECORD_NAME', `name: '${excerpt(trimmed)}' ${reason}`);
  if (trimmed === '') throw problem('is empty; the apex is written @');
  if (trimmed === '@') return '' as NameKey;
  try {
    const { labels, absolute } = splitNameText(trimmed);
    const key = keyFromLabels(labels);
    if (absolute && !isWithin(key, apex)) {
      throw problem(`is outside the zone ${printAbsoluteName(apex)}`);
    }
    const owner = isWithin(key, apex) ? relativeTo(key, apex)! : key;
    joinNames(owner, apex);
    return owner;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw problem(error instanceof Error ? error.message : String(error));
  }
}
