/** Which secondaries serve a change: the propagation of a zone's serial, and writes whose answer waits for it. */
import { formatTime } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { propagation as schema } from '../contract/secondaries.ts';
import type { zoneRoutes } from '../contract/zones.ts';
import { diffNodes } from '../domain/diff.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { type Answer, type Pieces, json } from './answer.ts';
import type { Exchange, RequestOf } from './endpoint.ts';
import { presenter } from './fields.ts';
import { momentOf } from './request-source.ts';
import type { HandlerServices } from './services.ts';
import type { CallerView } from './view/view.ts';

type Request = RequestOf<(typeof zoneRoutes)['getPropagation']>;

const present = presenter(schema);

export async function getPropagation(
  { params, query, view, exchange }: Request,
  { propagation }: HandlerServices,
): Promise<Answer> {
  const zone = view.zones.with('zone:read', params.name);
  const wanted = momentOf(query.serial) ?? { serial: zone.serial };
  const { serial, createdAt: changedAt } = view.versions.of(zone, wanted);
  const wait = { withinMs: query.wait * 1000, signal: exchange.ended(), owner: exchange.owner };
  const found = await propagation.reach(zone, serial, wait);
  const reached = found.every((each) => each.isReached);
  const at = reached ? Math.max(changedAt, ...found.map(({ seenAt }) => seenAt ?? 0)) : null;
  const cachedMs =
    at === null || serial !== zone.serial ? undefined : await replacedFor(zone, view);
  const answer = {
    zoneName: zone.name,
    serial,
    changedAt,
    reached,
    at,
    safeAfter: at === null || cachedMs === undefined ? null : formatTime(at + cachedMs),
    secondaries: found.map(({ isReached: reached, ...each }) => {
      const { seenAt } = each;
      // Clocks of one host: a transfer may end in the millisecond of the change.
      const delayMs = seenAt === null ? null : Math.max(0, seenAt - changedAt);
      return { ...each, reached, delayMs };
    }),
  };
  return json(200, present(answer));
}

/** Milliseconds that caches keep what the latest change replaced; undefined where that is not known. */
async function replacedFor(zone: Zone, view: CallerView): Promise<number | undefined> {
  // What was not there is kept as missing (RFC 2308 5).
  let seconds = 0;
  const missing = Math.min(zone.minimumTtl, zone.defaultTtl);
  let owners = 0;
  try {
    for await (const nodes of view.versions.latestChange(zone)) {
      owners += nodes.length;
      if (owners > limits.propagationRrsets) return undefined;
      for (const { from } of diffNodes(apexOf(zone), nodes).entries) {
        seconds = Math.max(
          seconds,
          ...(from.length === 0 ? [missing] : from.map(({ ttl }) => ttl)),
        );
      }
    }
  } catch (error) {
    if (error instanceof Problem && error.code === 'VERSION_NOT_FOUND') return undefined;
    throw error;
  }
  return seconds * 1000;
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
 * wait: then `propagated` is null.
 */
export async function onceReached(
  answer: Answer,
  zones: readonly Zone[],
  seconds: number,
  { propagation }: Pick<HandlerServices, 'propagation'>,
  { ended, owner }: Pick<Exchange, 'ended' | 'owner'>,
): Promise<Answer> {
  const served = zones.filter(({ enabled }) => enabled);
  if (served.length === 0) return answer;
  const wait = { withinMs: seconds * 1000, signal: ended(), owner };
  try {
    const isEverywhere = await propagation.allReach(served, wait);
    const body = withMember(answer.body, `"propagated":${isEverywhere}`);
    return { ...answer, body, headers: followed(answer, `wait=${seconds}`) };
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'OVERLOADED')) throw error;
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
    : begunWith(`{${member},`, body);
}

async function* begunWith(opening: string, pieces: Pieces): AsyncGenerator<string | Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? opening + piece.toString().slice(1) : piece;
    isFirst = false;
  }
}
