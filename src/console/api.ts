/** The HTTP interface as this page uses it: types of its contract, and one function that asks. */
import { signal } from '@preact/signals';
import type { InferOutput } from 'valibot';
import type { event as eventShape, eventKind } from '../contract/events.ts';
import type { diffEntry, diffValue, record, recordDiff } from '../contract/records.ts';
import type { session } from '../contract/sessions.ts';
import type {
  permissions,
  role,
  roleGrant,
  token,
  tsigKey,
  tsigKeyAnswer,
} from '../contract/access.ts';
import type { activity, activitySpan, blame } from '../contract/history.ts';
import type { explainAnswer } from '../contract/explain.ts';
import type { dnssecStatus } from '../contract/dnssec-status.ts';
import type { searchAnswer } from '../contract/search.ts';
import type {
  propagation,
  secondary,
  secondaryCheck,
  secondaryStates,
  transferEntry,
  zoneStatus,
} from '../contract/secondaries.ts';
import type { troubles } from '../contract/service.ts';
import type { zoneTag } from '../contract/tags.ts';
import type { zoneDiff, zoneVersion } from '../contract/versions.ts';
import type { warning } from '../contract/warning.ts';
import type { webhook } from '../contract/webhooks.ts';
import type { deletedZone, zone } from '../contract/zones.ts';
import { retryTimeOf, waitUntil } from './held.ts';

export type Zone = InferOutput<typeof zone>;
export type DeletedZone = InferOutput<typeof deletedZone>;
export type Warning = InferOutput<typeof warning>;
export type ZoneRecord = InferOutput<typeof record>;
export type Role = InferOutput<typeof role>;
export type RoleGrant = InferOutput<typeof roleGrant>;
export type Token = InferOutput<typeof token>;
export type TsigKey = InferOutput<typeof tsigKey>;
export type TsigKeyAnswer = InferOutput<typeof tsigKeyAnswer>;
export type Explanation = InferOutput<typeof explainAnswer>['explanation'];
export type Permissions = InferOutput<typeof permissions>;
export type Session = InferOutput<typeof session>;
export type Secondary = InferOutput<typeof secondary>;
export type SecondaryStates = InferOutput<typeof secondaryStates>;
export type Transfer = InferOutput<typeof transferEntry>;
export type SecondaryCheck = InferOutput<typeof secondaryCheck>;
export type Trouble = InferOutput<typeof troubles>['items'][number];
export type Webhook = InferOutput<typeof webhook>;
export type Propagation = InferOutput<typeof propagation>;
export type ZoneStatus = InferOutput<typeof zoneStatus>;
export type DnssecStatus = InferOutput<typeof dnssecStatus>;
export type Delegation = NonNullable<DnssecStatus['delegation']>;
export type Event = InferOutput<typeof eventShape>;
export type EventKind = InferOutput<typeof eventKind>;
export type VersionFacts = InferOutput<typeof zoneVersion>;
export type Diff = InferOutput<typeof recordDiff>;
export type DiffEntry = InferOutput<typeof diffEntry>;
export type DiffValue = InferOutput<typeof diffValue>;
export type BlamedRrset = InferOutput<typeof blame>['items'][number];
export type Activity = InferOutput<typeof activity>;
export type ActivitySpan = InferOutput<typeof activitySpan>;
export type Tag = InferOutput<typeof zoneTag>;
export type SearchAnswer = InferOutput<typeof searchAnswer>;
export type ZoneDiff = InferOutput<typeof zoneDiff>;

/** A field of a zone that has another value than an undone event had left. */
export interface ZoneSettingConflict {
  readonly setting: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What is wrong with one field of a body. */
export interface FieldError {
  /** RFC 6901; left out where no field is to blame. */
  readonly pointer?: string;
  readonly code: string;
  readonly message: string;
}

export interface Self {
  readonly session: Session | null;
  readonly token: Token | null;
}

export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly pagination: {
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
  };
}

export interface EventPage {
  readonly items: readonly Event[];
  /** `before` of the next page; null at the end. */
  readonly next_before: number | null;
}

/** A refusal of the service, or that it was not reached (status 0). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** The whole answer, for what a code says besides. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** The time in milliseconds before which it makes no sense to try again; undefined where none was said. */
  readonly retryAt: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    answer: Readonly<Record<string, unknown>> = {},
    retryAt?: number,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.answer = answer;
    this.retryAt = retryAt;
  }
}

/** Set while the service asks for a login; what is on the page stays behind it. */
export const needsLogin = signal(false);
/** Counts logins: what was asked before one says nothing of it. */
export const loginCount = signal(0);
/** Since when the service was not reached; null while it is. */
export const unreachableSince = signal<number | null>(null);

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Request {
  readonly query?: Query;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Gets the headers of the answer. */
  readonly onHeaders?: (headers: Headers) => void;
}

export function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal) {
  return ask<Answer>('GET', path, signal === undefined ? { query } : { query, signal });
}

/** The text of an answer that is no JSON. */
export async function getText(path: string, query: Query, signal: AbortSignal): Promise<string> {
  return (await send('GET', path, { query, signal })).text();
}

/** Asks the service; throws a Problem. */
export async function ask<Answer>(
  method: string,
  path: string,
  request: Request = {},
): Promise<Answer> {
  const response = await send(method, path, request);
  request.onHeaders?.(response.headers);
  return response.json() as Promise<Answer>;
}

/** A read that has to wait is asked once more by itself; what may write never is. */
async function send(method: string, path: string, request: Request): Promise<Response> {
  try {
    return await sendOnce(method, path, request);
  } catch (error) {
    const until = error instanceof Problem ? error.retryAt : undefined;
    if (method !== 'GET' || until === undefined) throw error;
    await waitUntil(until, request.signal);
    return sendOnce(method, path, request);
  }
}

async function sendOnce(
  method: string,
  path: string,
  { query = {}, body, headers = {}, signal }: Request,
): Promise<Response> {
  const init: RequestInit = { method, headers: { ...headers }, credentials: 'same-origin' };
  if (body !== undefined) {
    init.headers = { ...headers, 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  if (signal !== undefined) {
    init.signal = signal;
    askedBy.set(signal, `${method} ${path}`);
  }
  const logins = loginCount.peek();
  let response: Response;
  try {
    response = await fetch(pathWith(path, query), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    unreachableSince.value ??= Date.now();
    throw new Problem(0, 'UNREACHABLE', 'the service does not answer');
  }
  unreachableSince.value = null;
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const isUnknown = response.status === 401 && path !== '/session';
  if (isUnknown && logins === loginCount.peek()) needsLogin.value = true;
  const { code = 'UNKNOWN', error = `the service answered ${response.status}` } = answer;
  const retryAt = retryTimeOf(response.headers.get('retry-after'));
  throw new Problem(response.status, code, error, answer, retryAt);
}

/** What a signal ends, like `GET /zones`: the request that was made last with it. */
export const askedBy = new WeakMap<AbortSignal, string>();

/** Parameters that are undefined or '' are left out. */
export function pathWith(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** The path of a zone, and of what is below it. */
export function zonePath(name: string, below = ''): string {
  return `/zones/${encodeURIComponent(name)}${below}`;
}

/** A version of a zone, as a later write can ask for it. */
export interface Version {
  readonly serial: number;
  readonly etag: string;
}

/** The version that a zone has now. */
export async function readVersion(zone: string, signal?: AbortSignal): Promise<Version> {
  const { zone: found, etag } = await readZone(zone, signal);
  return { serial: found.serial ?? 0, etag };
}

/** A zone as it is now, with its entity tag, and whether it is signed. */
export async function readZone(
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly zone: Zone; readonly etag: string; readonly signed: boolean }> {
  let etag = '';
  const found = await ask<{ zone: Zone; signed: boolean }>('GET', zonePath(name), {
    ...(signal !== undefined && { signal }),
    onHeaders: (headers) => {
      etag = headers.get('etag') ?? '';
    },
  });
  return { ...found, etag };
}
