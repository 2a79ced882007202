/**
 * Entity tags: a zone at a serial, as ETag, If-Match and If-None-Match write it (RFC 9110 8.8.3, 13.1).
 *
 * Refused with INVALID_INPUT: a header that holds no entity tags. A tag that is none of ours, or a weak
 * one in If-Match, is well written and matches nothing.
 */
import { Problem } from '../base/problem.ts';
import type { Route } from '../contract/route.ts';
import type { Expectation } from '../domain/change-zones.ts';
import type { Zone } from '../domain/zone.ts';

function entityTag(zoneId: number, serial: number): string {
  return `"${zoneId}-${serial}"`;
}

export function tagOfZone(zone: Pick<Zone, 'id' | 'serial'>): { ETag: string } {
  return { ETag: entityTag(zone.id, zone.serial) };
}

/**
 * What the header If-Match of a write asks for; undefined when it is not given. A write that compares no tag does
 * not do what a client with an older state asked it not to do: it is refused.
 */
export function ifMatchOf(route: Route, header: string | undefined): Expectation | undefined {
  if (header === undefined || route.conditional) return parseIfMatch(header);
  const { method, path, instead } = route;
  const advice = instead === undefined ? 'leave it out' : `${instead} is compared`;
  throw new Problem('INVALID_INPUT', `If-Match is not for ${method} ${path}: ${advice}`);
}

/**
 * What tags ask for, undefined when none are given. They are compared with the zone that is written, and with no other.
 */
export function parseIfMatch(
  header: string | undefined,
  name = 'If-Match',
): Expectation | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
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
