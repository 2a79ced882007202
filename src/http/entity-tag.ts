/**
 * Entity tags: a zone at a serial, as ETag, If-Match and If-None-Match write it (RFC 9110 8.8.3, 13.1).
 *
 * Refused with INVALID_INPUT: a header that holds no entity tags. A tag that is none of ours, or a weak
 * one in If-Match, is well written and matches nothing.
 */
import { Problem } from '../base/problem.ts';
import type { Zone } from '../domain/zone.ts';
import type { SubmitOptions } from '../writer/submission.ts';

/** The zone and serial that a write wants to find. */
export type Expected = NonNullable<SubmitOptions['ifMatch']>[number];

function entityTag(zoneId: number, serial: number): string {
  return `"${zoneId}-${serial}"`;
}

export function tagOfZone(zone: Pick<Zone, 'id' | 'serial'>): { ETag: string } {
  return { ETag: entityTag(zone.id, zone.serial) };
}

/**
 * What If-Match asks for: any of these; undefined when it is not given or `*`, as a write finds a missing zone
 * anyway. Tags are compared with the zone that is written, and with no other.
 */
export function parseIfMatch(
  header: string | undefined,
  name = 'If-Match',
): readonly Expected[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return tagsOf(name, header)
    .map((tag) => /^"(\d{1,10})-(\d{1,10})"$/.exec(tag))
    .filter((match) => match !== null)
    .map(([, zoneId, serial]) => ({ zoneId: Number(zoneId), serial: Number(serial) }));
}

/** True when If-None-Match names the tag; weak and strong ones compare alike (RFC 9110 13.1.2). */
export function isNoneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return tagsOf('If-None-Match', header).some((each) => each.replace(/^W\//, '') === tag);
}

const oneTag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
/** A list, whose elements may be empty (RFC 9110 5.6.1); a tag may have commas in it. */
const listOfTags = new RegExp(`^(?:[ \\t]*(?:${oneTag.source}[ \\t]*)?(?:,|$))+$`);

function tagsOf(name: string, header: string): readonly string[] {
  const tags = header.match(new RegExp(oneTag, 'g'));
  if (tags !== null && listOfTags.test(header)) return tags;
  throw new Problem(
    'INVALID_INPUT',
    `${name}: '${header.slice(0, 60)}' is no entity tag; they are written like "1-7"`,
  );
}
