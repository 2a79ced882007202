/** Events as JSON: the one place that writes them, in answers, streams and calls of webhooks. */
import { formatTime } from '../base/clock.ts';
import { snakeCase } from '../base/field-name.ts';
import type { SeenEvent } from './event-reader.ts';
import { diffText } from './record-writer.ts';

export function eventText({ diff, signing, details, hash, prevHash, ...event }: SeenEvent): string {
  const before = JSON.stringify({
    seq: event.seq,
    at: formatTime(event.at),
    kind: event.kind,
    zone: event.zone,
    serial: event.serial,
    actor: event.actor,
    source: event.source,
    request_id: event.requestId,
    reason: event.reason,
    reference: event.reference,
    summary: event.summary,
  });
  const after = JSON.stringify({
    diff_truncated: event.diffTruncated,
    settings_changed: event.settingsChanged.map(snakeCase),
    signing: signing && { reason: signing.reason, key_tags: signing.keyTags },
    details: details && inSnakeCase(details),
    redacted: event.redacted,
    hash: hash.toString('hex'),
    prev_hash: prevHash.toString('hex'),
  });
  return `${before.slice(0, -1)},"diff":${diff === null ? 'null' : diffText(diff)},${after.slice(1)}`;
}

/** The fields of what the journal holds by the names that the interface gives them. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snakeCase(name), memberOf(name, member)]),
  );
}

/** A time of the journal is milliseconds since 1970, and its name ends in At. */
function memberOf(name: string, member: unknown): unknown {
  return typeof member === 'number' && name.endsWith('At')
    ? formatTime(member)
    : inSnakeCase(member);
}
