/**
 * Which secondaries hold a key's next step back: pure, the asking is somebody else's.
 *
 * A step counts on everybody serving the serial in which the key's state began. Who is seen to serve an
 * older one holds it back. Who says nothing of the zone does so while it may serve the old one still: until the
 * SOA's expire has passed since it was last seen with it (RFC 1035 3.3.13). Who never answered, or says that it
 * serves the zone no more, keeps nobody waiting.
 */
import { isNewerSerial } from '../dns/serial.ts';
import type { ZoneKey } from './zone-key.ts';

/** What an enabled secondary said of a zone, the oldest serial of all its addresses. */
export type SecondaryAnswer =
  | {
      readonly name: string;
      readonly address: string;
      /** Null when it answers, but serves no such zone. */
      readonly serial: number | null;
    }
  | {
      readonly name: string;
      readonly address: string;
      readonly failure: string;
      /** It answered, and did not say whether it serves the zone: SERVFAIL, as while it reads its zones. */
      readonly hasAnswered?: boolean;
    };

/** What a secondary served when it last answered. */
export interface SecondarySighting {
  readonly name: string;
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
  /** The SOA's expire, as it was when that serial was seen first, or the greater one since. */
  readonly expireSeconds: number;
}

/** A secondary that is behind, and what that is known by. */
export interface LateSecondary {
  readonly name: string;
  readonly reason: string;
}

/** Part of the expire that passes before a sighting of the same serial is worth writing down again. */
const sightingsPerExpire = 24;
const minBetweenSightingsMs = 60_000;

/** The sightings once `answers` came in; the same array when they tell nothing new. */
export function withAnswers(
  sightings: readonly SecondarySighting[],
  answers: readonly SecondaryAnswer[],
  expireSeconds: number,
  now: number,
): readonly SecondarySighting[] {
  const next = answers.flatMap((answer) => {
    const known = sightings.find(({ name }) => name === answer.name);
    if ('failure' in answer) return known ?? [];
    const { name, serial } = answer;
    if (serial === null) return [];
    const isSame = known !== undefined && known.serial === serial;
    const expire = isSame ? Math.max(known.expireSeconds, expireSeconds) : expireSeconds;
    const isFresh =
      isSame && known.expireSeconds === expire && now - known.seenAt < betweenSightings(expire);
    return isFresh ? known : { name, serial, seenAt: now, expireSeconds: expire };
  });
  const isSameList =
    next.length === sightings.length && next.every((each) => sightings.includes(each));
  return isSameList ? sightings : next;
}

/** Secondaries that may still serve a serial from before the state of one of the keys began. */
export function lateSecondaries(
  keys: readonly ZoneKey[],
  sightings: readonly SecondarySighting[],
  answers: readonly SecondaryAnswer[],
  now: number,
): LateSecondary[] {
  const serials = keys.flatMap(({ stateSerial }) => stateSerial ?? []);
  if (serials.length === 0) return [];
  const needed = serials.reduce((one, other) => (isNewerSerial(other, one) ? other : one));
  return answers.flatMap((answer) => {
    const { name, address } = answer;
    const who = `secondary '${name}' (${address})`;
    if ('serial' in answer) {
      if (answer.serial === null || !isNewerSerial(needed, answer.serial)) return [];
      return { name, reason: `${who} still serves serial ${answer.serial}, from before ${needed}` };
    }
    const seen = sightings.find((each) => each.name === name);
    if (seen === undefined || !isNewerSerial(needed, seen.serial)) return [];
    // It may have been seen again since, too soon to be written down.
    const { seenAt, expireSeconds } = seen;
    if (seenAt + expireSeconds * 1000 + betweenSightings(expireSeconds) <= now) return [];
    const silence =
      answer.hasAnswered === true ? `gives no serial (${answer.failure})` : 'does not answer';
    const reason = `${who} ${silence}, and last served serial ${seen.serial}, from before ${needed}`;
    return { name, reason };
  });
}

/** True when a secondary, late when it was last seen, now has the serial in which the key's state began. */
export function hasCaughtUp(
  { stateSerial }: ZoneKey,
  sightings: readonly SecondarySighting[],
  answers: readonly SecondaryAnswer[],
): boolean {
  if (stateSerial === undefined) return false;
  const caughtUp = answers.find((answer) => {
    if (!('serial' in answer) || answer.serial === null) return false;
    const seen = sightings.find(({ name }) => name === answer.name);
    if (seen === undefined || !isNewerSerial(stateSerial, seen.serial)) return false;
    return !isNewerSerial(stateSerial, answer.serial);
  });
  return caughtUp !== undefined;
}

/** Milliseconds. */
function betweenSightings(expireSeconds: number): number {
  return Math.max(minBetweenSightingsMs, (expireSeconds * 1000) / sightingsPerExpire);
}
