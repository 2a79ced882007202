/** A read as it is asked for, and the answers that refuse one: hidden things answer as if they were not there. */
import type { Answered, Caller, Json, World, WorldZone } from './world.ts';

export interface Asked {
  readonly world: World;
  readonly caller: Caller;
  /** What stands in the path, in its order. */
  readonly params: readonly string[];
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
}

export function urlOf(path: string, query: ReadonlyMap<string, string>): string {
  const text = new URLSearchParams([...query]).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The answer of an administrator to the same. */
export function adminAnswer({ world, path, query }: Asked): Promise<Answered> {
  return world.admin(urlOf(path, query));
}

export function refused(status: number, code: string, error: string): Answered {
  return { status, body: { error, code }, etag: null };
}

export function forbidden(action: string, where: string): Answered {
  return refused(403, 'FORBIDDEN', `action '${action}' is needed ${where}`);
}

export function missing(code: string, what: string): Answered {
  return refused(404, code, `${what} does not exist`);
}

/** True for what is judged before anything is looked up. */
export function isMisread({ status, body }: Answered): boolean {
  return (
    status === 400 && /query parameter|returned with signed=true|no record type/.test(body.error)
  );
}

/** The zone of a path, or the deleted one of the query, and what is said of one that nobody may see. */
export function zoneIn({ world, query }: Asked, zoneName: string) {
  const id = query.get('deleted_id');
  if (id === undefined) {
    const hidden = missing('ZONE_NOT_FOUND', `zone '${zoneName}'`);
    return { zone: world.zoneOf(zoneName), hidden };
  }
  const zone = world.deleted.find((one) => one.name === zoneName && String(one.id) === id);
  const error = `no deleted zone '${zoneName}' with id ${id} exists`;
  return { zone, hidden: refused(404, 'ZONE_NOT_FOUND', error) };
}

/** The answer about a zone, for who sees it and passes a test of what is needed there. */
export async function ofZone(
  asked: Asked,
  zoneName: string,
  refusalIn: (zone: WorldZone) => Answered | undefined,
): Promise<Answered> {
  const answer = await adminAnswer(asked);
  if (isMisread(answer)) return answer;
  const { zone, hidden } = zoneIn(asked, zoneName);
  if (zone === undefined || !asked.caller.model.sees(zone.id)) {
    return hidden;
  }
  return refusalIn(zone) ?? answer;
}

/** The rows of an administrator's list that pass a test, paged as it was asked for. */
export async function ofList(
  asked: Asked,
  shown: (row: Json) => unknown | undefined,
): Promise<Answered> {
  const { world, path, query } = asked;
  const limit = Number(query.get('limit') ?? 50);
  const offset = Number(query.get('offset') ?? 0);
  const whole = new Map([...query, ['limit', '1000'], ['offset', '0']]);
  const answer = await world.admin(urlOf(path, whole));
  if (answer.status !== 200) return answer;
  const rows = answer.body.items.map(shown).filter((row: unknown) => row !== undefined);
  const pagination = { limit, offset, total: rows.length };
  const items = rows.slice(offset, offset + limit);
  const next_cursor = offset + limit < rows.length ? 'more' : null;
  return { status: 200, body: { items, pagination, next_cursor }, etag: null };
}

export const nothing = () => undefined;
export const everything = (row: Json) => row;
