/** What comes with a command, and what is reported after it. */
import { Problem } from '../base/problem.ts';
import {
  type AdministrationEvent,
  type DomainEvent,
  isZoneEvent,
  keepsSerial,
  type ZoneEvent,
  countsOf,
  type RecordCounts,
} from '../domain/event.ts';
import type { LocalUser } from '../domain/access/model.ts';
import type { SessionTimes } from '../domain/access/session-end.ts';
import type { Expectation } from '../domain/change-zones.ts';
import type { Author, Why } from '../domain/why.ts';
import type { Zone } from '../domain/zone.ts';
import { type Provenance, serialOf } from '../journal/event-row.ts';
import type { PreparedPass } from './zone-signer.ts';

export type ChangeSource = 'api' | 'cli' | 'nsupdate' | 'external-dns' | 'system';

/** Who acts: its role's grants are read in the writing transaction. */
export interface Actor {
  readonly kind: 'token' | 'tsig_key';
  readonly id: number;
  readonly name: string;
}

/** The session that a command came by: the writer knows when sessions were used as far as that is stored. */
export interface BySession extends SessionTimes {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

export interface SubmitOptions {
  readonly source: ChangeSource;
  /** Null for the local command line, the scheduler and calls without authentication. */
  readonly actor: Actor | null;
  readonly requestId: string | null;
  /** It may have been closed since: then nothing comes of the command, as of a call without authentication. */
  readonly session?: BySession | undefined;
  /** Who says to be at the local socket. */
  readonly localUser?: LocalUser | undefined;
  readonly why?: Why | undefined;
  readonly dryRun: boolean;
  /** Lets a change through the guard that deletes exactly this number of records. */
  readonly allowDeletes?: number | undefined;
  /** Refuses with PRECONDITION_FAILED where it does not hold. */
  readonly ifMatch?: Expectation | undefined;
  /** The name that whoever submits it holds (Writer.hold). */
  readonly heldName?: string | undefined;
  /** A pass over the whole zone that was prepared for this step. */
  readonly prepared?: PreparedPass | undefined;
  /** True to be refused with WholePassNeeded, rather than to have such a pass prepared. */
  readonly describesWhole?: boolean;
  /** New records get ids from this one on, which were reserved for them. */
  readonly firstRecordId?: number;
}

/**
 * Refuses a write to a zone that is at none of the serials that If-Match asks for, and with `*` where there is no
 * zone (RFC 9110 13.1.1). `zone` is undefined where there is none that the caller sees.
 */
export function requireMatch(expected: Expectation, zone: Zone | undefined): void {
  const isMet =
    expected === '*'
      ? zone !== undefined
      : expected.some(({ zoneId, serial }) => zone?.id === zoneId && zone.serial === serial);
  if (isMet) return;
  const now = zone === undefined ? 'does not exist' : `is at serial ${zone.serial} now`;
  throw new Problem('PRECONDITION_FAILED', `the zone ${now}; fetch it again and retry`);
}

/** Who caused what such a submission leads to. */
export function provenanceOf({
  source,
  actor,
  localUser,
  requestId,
  why,
}: SubmitOptions): Provenance {
  return {
    changeSource: source,
    actorKind: actor?.kind ?? (localUser && 'local') ?? null,
    actorName: (actor ?? localUser)?.name ?? null,
    actorUid: actor === null ? (localUser?.uid ?? null) : null,
    requestId,
    reason: why?.reason ?? null,
    reference: why?.reference ?? null,
  };
}

/** What the service does by itself. */
export const bySystem = { source: 'system', actor: null, requestId: null, dryRun: false } as const;

/** What somebody does on the host without a running service. */
export function byAuthor(author: Author) {
  return { source: 'cli', actor: null, requestId: null, dryRun: false, ...author } as const;
}

/** What listeners need of an event of a zone: it comes to them from another thread, field by field. */
export interface ReportedZoneEvent extends Pick<ZoneEvent, 'kind' | 'zoneId' | 'signing'> {
  /** The name of the zone after it; of one that was deleted the last. */
  readonly zoneName: string | null;
  /** When it was renamed. */
  readonly formerName: string | undefined;
  /** Null when it takes no step. */
  readonly serial: number | null;
  /** False for a deletion or a purge. */
  readonly isThere: boolean;
  readonly counts: RecordCounts;
}

export type ReportedEvent = AdministrationEvent | ReportedZoneEvent;

/** An event that was journalled, and who caused it. */
export interface JournalledEvent {
  readonly event: ReportedEvent;
  readonly provenance: Provenance;
}

export function reportedEventOf(event: DomainEvent): ReportedEvent {
  if (!isZoneEvent(event)) return event;
  const { kind, zoneId, signing, before, after } = event;
  const isRenamed = before !== null && after !== null && before.name !== after.name;
  return {
    kind,
    zoneId,
    ...(signing && { signing }),
    zoneName: (after ?? before)?.name ?? null,
    formerName: isRenamed ? before.name : undefined,
    serial: serialOf(event),
    isThere: after !== null,
    counts: countsOf(event),
  };
}

/** What one commit was, for the metrics. */
export interface CommitFigures {
  readonly commands: number;
  readonly events: number;
  /** Events that are steps of a zone's serial. */
  readonly serialChanges: number;
  /** From its first command to its end on disk. */
  readonly milliseconds: number;
}

/** One durable change of a zone, as listeners hear of it. */
export interface ZoneChange {
  readonly kind: 'created' | 'changed' | 'renamed' | 'enabled' | 'disabled' | 'deleted' | 'bumped';
  /** As it is now; as it was, when deleted. */
  readonly zone: Zone;
  readonly previousName: string;
}

/** The change an event is; `now` is the zone after it. A deleted zone is presented by its last settings. */
export function zoneChangeOf(event: ZoneEvent, now: Zone | undefined): ZoneChange | undefined {
  const { kind, before, after, zoneId } = event;
  if (after === null) {
    if (before === null) return undefined;
    const counts = { recordCount: 0, dnssecCount: 0, historyFromSerial: before.serial };
    const zone: Zone = { ...before, ...counts, id: zoneId, createdAt: 0 };
    return { kind: 'deleted', zone, previousName: before.name };
  }
  if (now === undefined || keepsSerial(kind)) return undefined;
  const previousName = before?.name ?? after.name;
  return { kind: kindOf(event), zone: now, previousName };
}

function kindOf({ before, after, kind }: ZoneEvent): ZoneChange['kind'] {
  if (before === null || kind === 'zone.restored') return 'created';
  if (before.enabled !== after?.enabled) return after?.enabled ? 'enabled' : 'disabled';
  if (before.name !== after.name) return 'renamed';
  return kind === 'zone.serial-bumped' ? 'bumped' : 'changed';
}
