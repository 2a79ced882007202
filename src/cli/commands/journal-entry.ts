/** Events of the journal as entries of a log: what a person wants to know of each. */
import { formatTime } from '../../base/clock.ts';
import { unreachable } from '../../base/problem.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import type { ResourceRecord } from '../../dns/record.ts';
import type { Grant, Token, TsigKey } from '../../domain/access/model.ts';
import { diffRecords } from '../../domain/diff.ts';
import type { DnssecPolicy } from '../../domain/dnssec-policy.ts';
import type { EpochReason, ServiceRecovered } from '../../domain/epoch.ts';
import { type AdministrationEvent, administrationStream } from '../../domain/event.ts';
import type { SigningReason } from '../../domain/signing.ts';
import { normaliseZoneName, type ZoneSettings } from '../../domain/zone.ts';
import { diffEntryText } from '../../contract/record-json.ts';
import type { Connection } from '../../journal/database.ts';
import { decodeDelta } from '../../journal/delta.ts';
import { decodeEvent, decodeSettings, type EventRow, isStandIn } from '../../journal/event-row.ts';
import { Journal } from '../../journal/journal.ts';
import { JournalLog, type LogFilter } from '../../journal/log.ts';
import { actorOf, type EventActor } from '../../query/zone-events.ts';
import type { DiffEntry } from '../answers.ts';

export interface LogEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  /** The zone's name after the event (before it, when deleted), or what else it is about. */
  readonly subject: string;
  readonly serial: number | null;
  readonly change_source: string;
  readonly changed_by: EventActor | null;
  readonly request_id: string | null;
  readonly reason: string | null;
  readonly reference: string | null;
  /** One line for people. */
  readonly what: string;
  /** Null when no records were asked for, or retention has dropped them. */
  readonly records: readonly DiffEntry[] | null;
  readonly hash: string;
  readonly diff: { readonly entries: DiffEntry[] };
}

type About = Pick<LogEntry, 'subject' | 'what'>;

export class EntryReader {
  readonly #log: JournalLog;
  readonly #journal: Journal;
  readonly #withRecords: boolean;

  constructor(connection: Connection, withRecords: boolean) {
    this.#log = new JournalLog(connection);
    this.#journal = new Journal(connection);
    this.#withRecords = withRecords;
  }

  streamsNamed(name: string): number[] {
    return this.#log.streamsNamed(normaliseZoneName(name));
  }

  read(filter: LogFilter): LogEntry[] {
    return this.#log.newest(filter).map((row) => this.#entryOf(row));
  }

  #entryOf(row: EventRow): LogEntry {
    const about = this.#aboutOf(row);
    const records = this.#withRecords ? this.#recordsOf(row, about.subject) : null;
    return {
      seq: row.seq,
      at: formatTime(row.at),
      kind: row.kind,
      ...about,
      serial: row.serial,
      change_source: row.changeSource,
      changed_by: actorOf(row),
      request_id: row.requestId,
      reason: row.reason,
      reference: row.reference,
      records,
      hash: row.hash.toString('hex'),
      diff: { entries: [...(records ?? [])] },
    };
  }

  #aboutOf(row: EventRow): About {
    if (row.stream !== administrationStream || row.payload === null) return aboutZone(row);
    const event = decodeEvent(row, []) as AdministrationEvent;
    return aboutAdministration(event, (zoneId) => this.#zoneName(zoneId));
  }

  /** The name a zone has now or, when it is deleted, had last. */
  #zoneName(zoneId: number): string {
    const [row] = this.#log.newest({ streams: [zoneId], afterSeq: 0, limit: 1 });
    return row === undefined ? `zone ${zoneId}` : aboutZone(row).subject;
  }

  /** What an event removed and added, RRset by RRset; records that it left alone are not listed. */
  #recordsOf(row: EventRow, zoneName: string): DiffEntry[] | null {
    // A checkpoint repeats what is there already.
    if (row.stream === administrationStream || isStandIn(row.kind)) return [];
    const parts = this.#journal.parts(row);
    if (parts.length === 0) return row.payload === null ? null : [];
    const { removed, added } = decodeDelta(parts);
    const before: ResourceRecord[] = [...removed];
    const diff = diffRecords(parseAbsoluteName(zoneName), before, [...added]);
    return diff.entries.map((entry) => JSON.parse(diffEntryText(entry, diff.apex)));
  }
}

/** What of a payload is presented besides the settings. */
interface PayloadSummary {
  readonly removed: number;
  readonly added: number;
  readonly signing?: { readonly reason: SigningReason };
}

const signingKinds: ReadonlySet<string> = new Set(['zone.signed', 'zone.signing-noted']);

function aboutZone(row: EventRow): About {
  const named = row.zoneName ?? `zone ${row.stream}`;
  if (row.payload === null)
    return { subject: named, what: `${row.kind} (details removed by retention)` };
  const { before, after } = decodeSettings(row.payload);
  const { removed, added, signing } = JSON.parse(row.payload) as PayloadSummary;
  const words = [row.kind];
  // Other steps of a signed zone carry the state too, where it has moved along with them.
  if (signing !== undefined && signingKinds.has(row.kind)) words.push(signing.reason);
  if (added > 0) words.push(`+${added}`);
  if (removed > 0) words.push(`-${removed}`);
  if (before !== null && after !== null) words.push(...changedSettings(before, after));
  const subject = after?.name ?? before?.name ?? named;
  return { subject, what: words.join(' ') };
}

/** Without the serial, which always differs. */
function changedSettings(before: ZoneSettings, after: ZoneSettings): string[] {
  const keys = (Object.keys(after) as (keyof ZoneSettings)[]).filter((key) => key !== 'serial');
  return differing(before, after, keys);
}

/** An event of administration in words; `zoneNameOf` tells the name of a zone that a grant knows by its id. */
function aboutAdministration(
  event: AdministrationEvent,
  zoneNameOf: (zoneId: number) => string,
): About {
  const [subject, ...details] = wordsOf(event, zoneNameOf);
  return { subject, what: [event.kind, ...details].join(' ') };
}

/** Whom an event is about, and what happened besides its kind. */
function wordsOf(
  event: AdministrationEvent,
  zoneNameOf: (zoneId: number) => string,
): [subject: string, ...details: string[]] {
  switch (event.kind) {
    case 'secondary.registered':
    case 'secondary.forgotten':
      return [event.secondary.name, event.secondary.address];
    case 'secondary.updated':
      return [
        event.secondary.name,
        ...differing(event.before, event.secondary, ['address', 'enabled', 'notifyKeyName']),
      ];
    case 'webhook.created':
    case 'webhook.deleted':
    case 'webhook.suspended':
      return [event.webhook.name, event.webhook.url];
    case 'webhook.replayed':
      return [event.webhook.name, `from ${event.webhook.fromSeq}`];
    case 'webhook.updated':
      return [
        event.webhook.name,
        ...differing(event.before, event.webhook, ['url', 'format', 'filter', 'state']),
      ];
    case 'policy.created':
    case 'policy.deleted':
      return [event.policy.name, policyText(event.policy)];
    case 'policy.updated':
      return [event.policy.name, ...differing(event.before, event.policy, policyDays)];
    case 'role.created':
    case 'role.updated':
    case 'role.deleted':
      return [event.role.name, ...(event.role.reasonRequired ? ['reason_required'] : [])];
    case 'role.granted':
    case 'role.revoked':
      return [event.roleName, grantText(event.grant, zoneNameOf)];
    case 'token.created':
    case 'token.deleted':
      return [event.token.name, holderText(event)];
    case 'session.opened':
    case 'session.closed': {
      const { id, token, user, address } = event.session;
      return [id, `${token?.name ?? user?.name ?? 'local'}, from ${address}`];
    }
    case 'session.refused': {
      const { address, reason, count } = event.login;
      return [address, `${reason} token, ${count} refused`];
    }
    case 'tsig-key.created':
    case 'tsig-key.deleted':
      return [event.tsigKey.name, holderText(event)];
    case 'service.recovered':
      return [
        'service',
        `epoch ${event.epoch}, ${reasonTexts[event.reason]}${seen(event.serials)}`,
      ];
    default:
      return unreachable(event);
  }
}

const reasonTexts: Record<EpochReason, string> = {
  restore: 'by zonebook restore',
  recover: 'by serve --recover',
  new: 'by serve --new',
};

function seen(serials: ServiceRecovered['serials']): string {
  return serials.length === 0 ? '' : `; ${serials.length} names were served at greater serials`;
}

const policyDays = ['signatureValidityDays', 'signatureRefreshDays', 'zskLifetimeDays'] as const;

/** Such as `ecdsap256sha256, nsec3, one CSK`. */
function policyText({ algorithm, denial, splitKeys }: DnssecPolicy): string {
  return `${algorithm}, ${denial}, ${splitKeys ? 'KSK and ZSK' : 'one CSK'}`;
}

/** The settings that differ, each with what it was and is: `enabled: true -> false`. */
function differing<Subject>(
  before: Subject,
  after: Subject,
  keys: readonly (keyof Subject & string)[],
): string[] {
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => `${key}: ${JSON.stringify(before[key])} -> ${JSON.stringify(after[key])}`);
}

/** Such as `#3 record:read,record:create in example.com on *.dyn, types A,AAAA`. */
function grantText(grant: Grant, zoneNameOf: (zoneId: number) => string): string {
  const { id, actions, zoneId, recordNamePattern, recordTypes } = grant;
  const where = zoneId === null ? 'all zones' : zoneNameOf(zoneId);
  const names = recordNamePattern === '*' ? '' : ` on ${recordNamePattern}`;
  const types = recordTypes === '*' ? '' : `, types ${recordTypes}`;
  return `#${id} ${actions.join(',')} in ${where}${names}${types}`;
}

type Holder = { readonly roleName: string } & (
  | { readonly token: Token }
  | { readonly tsigKey: TsigKey }
);

function holderText(holder: Holder): string {
  const role = `role ${holder.roleName}`;
  if ('tsigKey' in holder) return `${role}, ${holder.tsigKey.algorithm}`;
  const { expiresAt } = holder.token;
  return expiresAt === null ? role : `${role}, expires ${formatTime(expiresAt)}`;
}
