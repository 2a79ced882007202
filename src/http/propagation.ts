/** Which secondaries serve a change: the propagation of a zone's serial, and writes whose answer waits for it. */
import type { SecondaryReach } from '../background/propagation.ts';
import { formatTime } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { propagation as schema } from '../contract/secondaries.ts';
import type { zoneRoutes } from '../contract/zones.ts';
import { requireInZone } from '../domain/access/require.ts';
import type { Zone } from '../domain/zone.ts';
import type { Replaced } from '../query/replaced-answers.ts';
import { type Answer, type Pieces, behind, json } from './answer.ts';
import type { Exchange, RequestOf } from './endpoint.ts';
import { presenter } from './fields.ts';
import { momentOf } from './request-source.ts';
import type { HandlerServices } from './services.ts';
import type { CallerView } from './view/view.ts';

type Request = RequestOf<(typeof zoneRoutes)['getPropagation']>;

const present = presenter(schema);

export async function getPropagation(
  { params, query, view, exchange, rightsNow }: Request,
  { propagation }: HandlerServices,
): Promise<Answer> {
  const zone = view.zones.with('zone:read', params.name);
  const wanted = momentOf(query.serial) ?? { serial: zone.serial };
  const { serial, createdAt: changedAt } = view.versions.of(zone, wanted);
  const wait = { withinMs: query.wait * 1000, signal: exchange.ended(), owner: exchange.owner };
  const found = await propagation.reach(zone, serial, wait);
  // In minutes they may have changed.
  requireInZone(rightsNow(), 'zone:read', zone);
  const reached = found.every((each) => each.isReached);
  const at = reached ? Math.max(changedAt, ...found.map(({ seenAt }) => seenAt ?? 0)) : null;
  const safeAfter = at === null ? undefined : await safeAfterOf({ zone, serial, at }, found, view);
  const answer = {
    zoneName: zone.name,
    serial,
    changedAt,
    reached,
    at,
    safeAfter: safeAfter === undefined ? null : formatTime(safeAfter),
    secondaries: found.map(({ isReached: reached, transfers: _, ...each }) => {
      const { seenAt } = each;
      // Clocks of one host: a transfer may end in the millisecond of the change.
      const delayMs = seenAt === null ? null : Math.max(0, seenAt - changedAt);
      return { ...each, reached, delayMs };
    }),
  };
  return json(200, present(answer));
}

/** A serial that every secondary serves since a moment. */
interface ReachedSerial {
  readonly zone: Zone;
  readonly serial: number;
  readonly at: number;
}

/**
 * When caches have dropped what the changes up to the latest serial replaced, in milliseconds since 1970; undefined
 * for another serial.
 */
async function safeAfterOf(
  { zone, serial, at }: ReachedSerial,
  found: readonly SecondaryReach[],
  view: CallerView,
): Promise<number | undefined> {
  if (serial !== zone.serial) return undefined;
  const replaced = await view.versions.replacedAnswers(zone, at);
  return replaced?.reduce((latest, change) => {
    const reachedAt = Math.max(change.at, ...found.map((each) => reachedBy(each, change)));
    const droppedAt = change.serial === serial ? at : Math.min(at, reachedAt);
    return Math.max(latest, droppedAt + change.seconds * 1000);
  }, at);
}

/**
 * When a secondary that serves the latest serial served that of a change at the latest: at all of its addresses, which
 * may be those of several hosts.
 */
function reachedBy({ seenAt, transfers }: SecondaryReach, change: Replaced): number {
  const seen = seenAt ?? Number.POSITIVE_INFINITY;
  const firsts = transfers.map((ofAddress) => {
    const first = ofAddress.find(({ serial, at }) => serial >= change.serial && at >= change.at);
    return first?.at ?? seen;
  });
  return firsts.length === 0 ? seen : Math.min(seen, Math.max(...firsts));
}

/** The seconds of `Prefer: wait`; undefined where there is no such preference that can be followed. */
export function waitOf(prefers: ReadonlyMap<string, string> | undefined): number | undefined {
  const wait = prefers?.get('wait');
  if (wait === undefined || !/^\d{1,5}$/.test(wait)) return undefined;
  return Math.min(Number(wait), limits.propagationSeconds);
}

/**
 * The answer to a write once every enabled secondary serves what it made of the zones, or the time is over, with
 * `propagated`. It is answered at once, and the preference not followed, where no zone is served, and where too many
 * wait: then `propagated` is null. So it is where the wait fails, which `failed` hears: the change is made.
 */
export async function onceReached(
  answer: Answer,
  zones: readonly Zone[],
  seconds: number,
  { propagation }: Pick<HandlerServices, 'propagation'>,
  { ended, owner }: Pick<Exchange, 'ended' | 'owner'>,
  failed: (error: unknown) => void,
): Promise<Answer> {
  const served = zones.filter(({ enabled }) => enabled);
  if (served.length === 0) return answer;
  const wait = { withinMs: seconds * 1000, signal: ended(), owner };
  try {
    const isEverywhere = await propagation.allReach(served, wait);
    const body = withMember(answer.body, `"propagated":${isEverywhere}`);
    return { ...answer, body, headers: followed(answer, `wait=${seconds}`) };
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'OVERLOADED')) failed(error);
    return { ...answer, body: withMember(answer.body, '"propagated":null') };
  }
}

/** Says that a preference was followed (RFC 7240 3). */
export function followed({ headers }: Answer, preference: string): Record<string, string> {
  const others = headers?.['Preference-Applied'];
  const all = others === undefined ? preference : `${others}, ${preference}`;
  return { ...headers, 'Preference-Applied': all };
}

/** The text of an object with one more member. */
function withMember(body: string | Pieces, member: string): string | Pieces {
  return typeof body === 'string'
    ? body.replace('{', `{${member},`)
    : behind([], begunWith(`{${member},`, body), [body]);
}

async function* begunWith(opening: string, pieces: Pieces): AsyncGenerator<string | Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? opening + piece.toString().slice(1) : piece;
    isFirst = false;
  }
}
