/** Zones compared with files and with each other. */
import { Problem } from '../base/problem.ts';
import type { Moment } from '../contract/fields.ts';
import type { versionRoutes } from '../contract/versions.ts';
import { requireWhole } from '../domain/access/require.ts';
import { requireVisible } from '../domain/zone-change.ts';
import { cursorOf } from '../query/rrset-cursor.ts';
import { type Answer, bracketed, streamed } from './answer.ts';
import type { RequestOf } from './endpoint.ts';
import { filterOfQuery } from './history.ts';
import { diffOfEntries } from './record-texts.ts';
import { cursorIn, momentIn } from './request-source.ts';
import type { HandlerServices } from './services.ts';

/** Lines of a bad file that are repeated. */
const linesNamed = 10;

export async function diffZone(
  { params, body, view, rightsNow }: RequestOf<(typeof versionRoutes)['diffZone']>,
  { importer }: HandlerServices,
): Promise<Answer> {
  const { content, other, at, other_at: otherAt, name, type, value, limit, summary } = body;
  if (((content ?? undefined) === undefined) === ((other ?? undefined) === undefined)) {
    throw new Problem('INVALID_INPUT', "'content' or 'other' is required, not both");
  }
  const after = cursorIn(body.cursor ?? undefined, 2);
  const [fromSerial, toSerial] = after?.numbers ?? [];
  const versionOf = (zone: string, then: Moment | undefined, serial: number | undefined) =>
    view.versions.whole(zone, serial === undefined ? then : { serial });
  const from = versionOf(params.name, momentIn('at', at), fromSerial);
  const to = other ? versionOf(other, momentIn('other_at', otherAt), toSerial) : undefined;
  const filter = filterOfQuery(name ?? undefined, type ?? undefined)(from.zone);
  const job = {
    from,
    to,
    // A large one comes as bytes (large-body.ts).
    file: (content ?? undefined) as string | Uint8Array | undefined,
    part: { ...filter, value: value ?? undefined, limit: limit ?? undefined, after },
    isSummary: summary ?? false,
  };
  const found = await importer.compare(job, () => {
    const rights = rightsNow();
    for (const { zone } of to === undefined ? [from] : [from, to]) {
      requireVisible(rights, zone, zone.name);
      requireWhole(rights, 'record:read', zone);
    }
  });
  if (found.errors.length > 0) {
    // Nobody is to read it: it is none of those that are kept for slow readers.
    void found.diff.entries[Symbol.asyncIterator]().return?.();
    const lines = found.errors.slice(0, linesNamed).join('; ');
    throw new Problem('INVALID_INPUT', `content: ${lines}`);
  }
  return streamed(200, {
    diff: diffOfEntries(bracketed(found.diff.entries), found.diff.summary),
    from_serial: from.serial,
    to_serial: to?.serial ?? null,
    next_cursor: found.next && cursorOf(found.next, from.serial, to?.serial ?? 0),
  });
}
