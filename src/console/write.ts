/**
 * Writes: what one is before it is made, and what is said after it. Every write is previewed by the dry run of the
 * interface, so that the rules are those of the service alone.
 */
import { signal } from '@preact/signals';
import {
  ask,
  type Diff,
  type Event,
  get,
  type Listed,
  type Problem,
  readZone,
  type TsigKey,
  type Warning,
  type Zone,
} from './api.ts';

/** One record, as a change takes it. */
export interface CollectedRecord {
  /** Relative to the zone. */
  readonly name: string;
  readonly type: string;
  /** Seconds; that of the RRset when left out, else the zone's default. */
  readonly ttl?: number;
  /** In master-file form, those of MX and SRV with the priority; or the segments of a TXT. */
  readonly value: string | readonly string[];
}

/** An edit: what goes, what comes, or both. */
export interface Edit {
  readonly before?: CollectedRecord;
  readonly after?: CollectedRecord;
}

export interface Write {
  /** What it does, in words: `Delete www.example.com A`. */
  readonly title: string;
  /** What its button says. */
  readonly button: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Undefined where the interface takes none; then the dry run is asked for by the query. */
  readonly body?: object;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The zone that must be as the preview saw it: its name, or its id where the name may be an earlier one. */
  readonly zone?: string | number;
  /** The entity tag that the zone must have; that of the moment of the preview when left out. */
  readonly etag?: string;
  /** Called with the answer when it has been made. */
  readonly onDone?: (answer: Outcome) => void;
  /** Takes what its dry run is refused with to where it was typed; true when all of it stands there. */
  readonly onRefused?: (problem: Problem) => boolean;
  /** False where the interface has none: then the preview says nothing but the note. */
  readonly hasDryRun?: false;
  /** What it leads to, in a sentence or two. */
  readonly note?: string;
  /** What happens besides what its dry run says, sentence by sentence: asked for by each preview. */
  readonly facts?: () => Promise<readonly string[]>;
  /** What others say of it, which may take them a while: it comes when it comes. '' for nothing. */
  readonly asked?: () => Promise<string>;
  /** What can be done about a refusal, where that is known; by its code. */
  readonly advice?: Readonly<Record<string, string>>;
  /** What has to be typed before it is made: the name of a zone that goes with all it has. */
  readonly confirm?: string;
  /** The same as edits of one zone, which can wait in its basket; undefined where it is none. */
  readonly edits?: { readonly zone: string; readonly list: readonly Edit[] };
  /** A zone that it makes, or whose address it ends. */
  readonly leadsTo?: string;
}

/** A check that a refused write can do without, at a risk. */
export interface Skippable {
  /** The field of the body that skips it. */
  readonly by: string;
  /** What becomes bogus, and until when. */
  readonly danger: string;
}

/** Of a refusal; undefined where it can not be helped. */
export function skippableOf({ answer }: Problem): Skippable | undefined {
  return answer.skippable as Skippable | undefined;
}

/** One of the zones of a change. */
interface ChangedZone {
  readonly name: string;
  readonly serial: number;
  readonly diff: Diff;
  readonly warnings: readonly Warning[];
}

/** What a dry run, and the write itself, answer: as much as they have. */
export interface Outcome {
  /** What happens, sentence by sentence. */
  readonly effects?: readonly string[];
  /** What may turn bogus by it, and until when. */
  readonly risks?: readonly string[];
  readonly diff?: Diff | null;
  /** Of a rollback or an import; null where nothing changes. */
  readonly new_serial?: number | null;
  /** Of a change that is undone, and of several RRsets: the zone, and its serial then. */
  readonly serial?: number;
  readonly name?: string;
  readonly warnings?: readonly Warning[];
  readonly summary?: Readonly<Record<string, number | boolean>>;
  readonly zone?: Zone;
  readonly settings_changed?: readonly string[];
  /** Of a zone that goes. */
  readonly records_deleted?: number;
  readonly versions_deleted?: number;
  /** Of a change of several RRsets: what names it, so that it is made as the preview has it. */
  readonly plan_hash?: string;
  readonly zones?: readonly ChangedZone[];
  /** Of a token or a key that was made. */
  readonly secret?: string;
  readonly tsig_key?: TsigKey;
}

/** What a write was answered, and the id of its request. */
export interface Made {
  readonly requestId: string;
  readonly answer: Outcome;
}

export interface Previewed {
  readonly outcome: Outcome;
  /** The zone as it is, where the write names one. */
  readonly before: Zone | undefined;
  /** The entity tag of the zone that the preview saw. */
  readonly etag: string | undefined;
  /** Whether it is signed; undefined where the write names none. */
  readonly isSigned?: boolean | undefined;
}

/** The write that is being previewed. */
export const pending = signal<Write | undefined>(undefined);
/** Counts writes, so that what is on the page is asked for again. */
export const writeCount = signal(0);

export interface Toast {
  readonly id: number;
  readonly text: string;
  /** What it wrote, zone by zone, as far as it is found and visible to the caller. */
  readonly events: readonly Event[];
  /** False until all of it is found. */
  readonly isWhole: boolean;
}

export const toasts = signal<readonly Toast[]>([]);
const toastsSaid = signal(0);

/** Messages at a time: an older one goes when another comes. */
const maxToasts = 4;

/** Shows a message; returns its id. */
export function say(text: string): number {
  // Never that of one that was dismissed: what was done is looked for until then and longer.
  const id = toastsSaid.peek() + 1;
  toastsSaid.value = id;
  toasts.value = [...toasts.value, { id, text, events: [], isWhole: false }].slice(-maxToasts);
  return id;
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** What the write would do; the zone's state is read before, so that a change in between is noticed. */
export async function preview(write: Write): Promise<Previewed> {
  const facts = await write.facts?.();
  const found = write.zone === undefined ? undefined : await zoneOf(write.zone);
  const { etag = found?.etag } = write;
  const seen = { etag, before: found?.zone, isSigned: found?.signed };
  const outcome: Outcome = write.hasDryRun === false ? {} : await dryRun(write);
  const changed = outcome.zones && together(outcome.zones);
  return { outcome: { effects: facts ?? [], ...outcome, ...changed }, ...seen };
}

/** A change of several RRsets answers zone by zone. */
function together(zones: NonNullable<Outcome['zones']>): Pick<Outcome, 'diff' | 'warnings'> {
  const count = (what: 'added' | 'changed' | 'removed') =>
    zones.reduce((sum, { diff }) => sum + diff.summary[what], 0);
  return {
    diff: {
      entries: zones.flatMap(({ diff }) => diff.entries),
      summary: { added: count('added'), changed: count('changed'), removed: count('removed') },
    },
    warnings: warningsOf({ zones }),
  };
}

/** Of all zones of an answer. */
export function warningsOf({ zones, warnings = [] }: Outcome): readonly Warning[] {
  return zones?.flatMap((zone) => zone.warnings) ?? warnings;
}

/** Whether a write was refused because what its preview was made from is another by now. */
export function isOutdatedBy({ status, code }: Problem): boolean {
  return status === 412 || code === 'PLAN_STALE';
}

/** What a write would do now; refused where the zone has not the entity tag that the write names. */
export function dryRun(write: Write): Promise<Outcome> {
  const headers = write.etag === undefined ? {} : { 'if-match': write.etag };
  return send(write, { dry_run: true }, headers);
}

async function zoneOf(zone: string | number) {
  const name = typeof zone === 'string' ? zone : await nameOf(zone);
  return name === undefined ? undefined : readZone(name);
}

/** The name that a zone has now. */
async function nameOf(id: number): Promise<string | undefined> {
  return (await get<Listed<Zone>>('/zones', { id })).items[0]?.name;
}

/** What is said with a write; each is '' where it is not said. */
export interface Why {
  readonly reason: string;
  readonly reference: string;
  /** How many deletions the guard of the zone is to let through. */
  readonly allowedDeletes: string;
}

/** A write as it is sent. */
export interface HttpWrite {
  readonly method: Write['method'];
  readonly path: string;
  readonly query: NonNullable<Write['query']>;
  readonly body?: object;
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
}

export function requestOf(
  { method, path, query = {}, body }: Write,
  { etag, outcome: { plan_hash: hash } }: Previewed,
  why: Why,
): HttpWrite {
  const headers: Record<string, string> = {};
  if (etag !== undefined) headers['if-match'] = etag;
  if (why.reason !== '') headers['zonebook-reason'] = encoded(why.reason);
  if (why.reference !== '') headers['zonebook-reference'] = encoded(why.reference);
  if (why.allowedDeletes !== '') headers['zonebook-allow-deletes'] = why.allowedDeletes;
  const planned = hash === undefined ? body : { ...body, plan_hash: hash };
  return { method, path, query, headers, ...(planned !== undefined && { body: planned }) };
}

/** Makes the write, unless the zone has changed since its preview. */
export async function apply(write: Write, previewed: Previewed, why: Why): Promise<Made> {
  const requestId = crypto.randomUUID();
  const { headers, ...sent } = requestOf(write, previewed, why);
  const all = { ...headers, 'x-request-id': requestId };
  return { requestId, answer: await send({ ...write, ...sent }, {}, all) };
}

/** Says that a write was made: what is on the page is asked for again, and its event is looked for. */
export async function announce(write: Write, { requestId, answer }: Made): Promise<void> {
  writeCount.value++;
  write.onDone?.(answer);
  const id = say(`${write.title}: done.`);
  const made = await eventsOf(requestId).catch(() => []);
  const expected = eventsExpected(answer);
  // The newest stands first there.
  const events = made.slice(0, expected).toReversed();
  const found = { events, isWhole: events.length === expected };
  toasts.value = toasts.value.map((toast) => (toast.id === id ? { ...toast, ...found } : toast));
}

/** What the guard of a zone holds back. */
export interface Guard {
  readonly deleted: number;
  /** Both null for who may not read the whole zone. */
  readonly of: number | null;
  readonly limit: number | null;
  readonly names: readonly { readonly name: string; readonly type: string }[];
}

/** Undefined for other refusals, and where the zone is locked: nothing lets a write through then. */
export function guardOf({ code, answer }: Problem): Guard | undefined {
  const guarded = answer.guarded as Guard | undefined;
  return code === 'GUARDED' && guarded?.deleted !== undefined ? guarded : undefined;
}

/** How many events of the caller are looked through for the one of a request that was answered a moment ago. */
const ownEvents = 20;

/** A change of several zones has one for each that differs. */
function eventsExpected({ zones }: Outcome): number {
  return zones?.filter(({ diff }) => diff.entries.length > 0).length ?? 1;
}

/** The events that a request of the caller made, as far as the caller may read them. */
async function eventsOf(requestId: string): Promise<readonly Event[]> {
  const query = { mine: 'true', limit: ownEvents };
  const { items } = await get<{ items: readonly Event[] }>('/events', query);
  return items.filter(({ request_id: each }) => each === requestId);
}

function send(
  { method, path, body, query = {} }: Write,
  dry: { readonly dry_run?: true },
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  if (body !== undefined) return ask(method, path, { body: { ...body, ...dry }, query, headers });
  const dryQuery = dry.dry_run === undefined ? {} : { dry_run: 'true' };
  return ask(method, path, { query: { ...query, ...dryQuery }, headers });
}

const printable = /^[\x20-\x7e]*$/;

/** Text beyond ASCII in a header (RFC 8187). */
function encoded(text: string): string {
  return printable.test(text) ? text : `UTF-8''${encodeURIComponent(text)}`;
}
