/** Events of a zone as they are read: header and payload, without their records. */
import type { ZoneEventKind } from '../domain/event.ts';
import type { ZoneSettings } from '../domain/zone.ts';
import { decodeSettings } from '../journal/event-row.ts';

/** Who caused an event; null for the local command line, the scheduler and calls without a token. */
export type ChangedBy = { readonly kind: 'token' | 'tsig_key'; readonly name: string } | null;

export interface ZoneEventRow {
  readonly seq: number;
  readonly serial: number | null;
  readonly kind: ZoneEventKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly changeSource: string;
  readonly actorKind: 'token' | 'tsig_key' | null;
  readonly actorName: string | null;
  readonly requestId: string | null;
  /** Null once retention has dropped it. */
  readonly payload: string | null;
  readonly partCount: number;
  readonly payloadChecksum: number;
  /** The number its parts stand under. */
  readonly delta: number;
}

/** The columns of a row, named as its fields. */
export const zoneEventColumns = `event.seq, event.serial, event.kind, event.at,
  event.change_source AS changeSource, event.actor_kind AS actorKind,
  event.actor_name AS actorName, event.request_id AS requestId, event.payload,
  event.parts AS partCount, event.payload_checksum AS payloadChecksum, event.delta`;

/** Steps that re-sign a zone: they change no user record, and are pruned earlier than others. */
export const signerKind = 'zone.signed';

/**
 * SQL of the oldest serial of a zone that can be told: the one that the last step led to whose content
 * is gone, or 0. All steps after it are there.
 */
export function oldestTold(zoneId: string): string {
  return `coalesce((SELECT max(serial) FROM event
    WHERE stream = ${zoneId} AND payload IS NULL AND kind <> '${signerKind}'), 0)`;
}

export function changedByOf({ actorKind, actorName }: ZoneEventRow): ChangedBy {
  return actorKind === null || actorName === null ? null : { kind: actorKind, name: actorName };
}

/** The settings an event left a zone with, or the last ones of a zone it deleted. */
export function settingsAfter(payload: string): ZoneSettings {
  const { before, after } = decodeSettings(payload);
  return (after ?? before)!;
}
