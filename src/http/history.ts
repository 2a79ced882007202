/** Who changed what and when, the way back from a deletion, and the deletion of history (decisions 2, 12 and 16). */
import { formatTime, parseTime } from '../base/clock.ts';
import { snakeCase } from '../base/field-name.ts';
import { Problem } from '../base/problem.ts';
import { activitySpan, historyRoutes } from '../contract/history.ts';
import { joinNames, type NameKey, printAbsoluteName } from '../dns/name.ts';
import { printType } from '../dns/rrtype.ts';
import { parseOwner } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { BlamedRrset } from '../query/blame-queries.ts';
import type { HistoryEntry } from '../query/history-queries.ts';
import { cursorOf } from '../query/rrset-cursor.ts';
import { actorOf } from '../query/zone-events.ts';
import type { Listed } from '../projection/page.ts';
import { type Answer, arrayPieces, json, JsonText, objectText, streamed } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { pageFields, type PageRequest, presenter } from './fields.ts';
import { bytesOfDiffs, diffJson } from './record-texts.ts';
import { storedType } from './records.ts';
import { cursorIn, momentOf, parseId, zoneNamed } from './request-source.ts';
import { presentDeletion, presentZone } from './zones.ts';

export const historyEndpoints = endpoints(historyRoutes, {
  async getZoneHistory(request) {
    const { query, view } = request;
    const filterOf = filterOfQuery(query.name, query.type);
    const { page } = request;
    return answerWith(await view.versions.history(zoneNamed(request), filterOf, page), request);
  },

  async blameZone(request) {
    const { query, view } = request;
    const { at, limit, cursor, type, name } = query;
    const after = cursorIn(cursor);
    const wanted = momentOf(at);
    const filterOf = filterOfQuery(name, type);
    const { zone, serial, items, next } = await view.versions.blame(
      zoneNamed(request),
      wanted,
      filterOf,
      { limit, after },
    );
    const apex = apexOf(zone);
    return json(200, {
      items: items.map((rrset) => presentBlamed(rrset, apex)),
      serial,
      next_cursor: next && cursorOf(next),
    });
  },

  async getZoneActivity(request, { clock }) {
    const { query, view } = request;
    const { buckets } = query;
    const { to = clock() + 1 } = query;
    const spans = await view.versions.activity(zoneNamed(request), ({ createdAt }) => {
      const { from = Math.min(createdAt, to - 1) } = query;
      if (from < to) return { from, to, buckets };
      throw new Problem('INVALID_INPUT', 'from: must be before to');
    });
    return json(200, { items: spans.map(presentSpan), to: formatTime(to) });
  },

  async getRecordHistory(request) {
    const { params, view, page } = request;
    return answerWith(await view.records.historyOf(parseId(params.id), page), request);
  },

  async restoreZone(request) {
    const { params, query } = request;
    const command = { kind: 'restore-zone', name: params.name, id: query.id } as const;
    const { zone, warnings } = await request.submit(command);
    return json(200, { warnings, zone: presentZone(zone, request.caller.rights) });
  },

  async purgeZone(request) {
    const { params, query } = request;
    const { id, serial } = query;
    const command = { kind: 'purge-zone', name: params.name, id, serial } as const;
    const outcome = await request.submit(command);
    return json(200, { ...request.applied, ...presentDeletion(outcome, request.caller.rights) });
  },

  async forgetHistory(request, { jobs: { retention }, clock }) {
    const { params, body, view } = request;
    const zone = view.zones.with('zone:delete', params.name);
    const beforeMs = parseBefore(body.before, clock());
    const { submitOptions } = request;
    const forgotten = await retention.forget(zone, beforeMs, submitOptions);
    const { versions, oldestSerial, isUnchanged } = forgotten;
    return json(200, {
      ...request.applied,
      unchanged: isUnchanged,
      // What the zone serves is as it was.
      warnings: [],
      versions_forgotten: versions,
      oldest_serial: oldestSerial,
      zone: presentZone(zone, request.caller.rights),
    });
  },
});

const presentSpan = presenter(activitySpan);

/** A filter by owner and type, which is made once the zone is known; texts that are empty are none. */
export function filterOfQuery(name: string | undefined, raw: string | undefined) {
  const type = raw?.trim() ? storedType(raw) : undefined;
  const owner = name?.trim() ?? '';
  return (zone: Zone) => ({
    name: owner === '' ? undefined : parseOwner(owner, apexOf(zone)),
    type,
  });
}

function presentBlamed({ owner, type, ttl, recordCount, event }: BlamedRrset, apex: NameKey) {
  const { seq, kind, serial, requestId, reason, reference } = event ?? {};
  return {
    name: printAbsoluteName(joinNames(owner, apex)),
    type: printType(type),
    ttl,
    records: recordCount,
    event: event && {
      seq,
      at: formatTime(event.at),
      kind,
      serial,
      actor: actorOf(event),
      source: event.changeSource,
      request_id: requestId,
      reason,
      reference,
    },
  };
}

function answerWith(listed: Listed<HistoryEntry>, request: PageRequest): Promise<Answer> {
  const bytes = bytesOfDiffs(listed.items.map(({ diff }) => diff));
  const entries = new JsonText(arrayPieces([listed.items], entryText), bytes);
  return streamed(200, { items: entries, ...pageFields(listed, request) });
}

function entryText(entry: HistoryEntry): string {
  return objectText({
    serial: entry.serial,
    created_at: formatTime(entry.createdAt),
    kind: entry.kind,
    change_source: entry.changeSource,
    changed_by: entry.changedBy,
    actor: entry.actor,
    request_id: entry.requestId,
    reason: entry.reason,
    reference: entry.reference,
    signing:
      entry.signing === null
        ? null
        : { reason: entry.signing.reason, key_tags: entry.signing.keyTags },
    diff: diffJson(entry.diff),
    diff_left_out: entry.diffLeftOut,
    records_added: entry.addedCount,
    records_removed: entry.removedCount,
    settings_changed: entry.settingsChanged.map(snakeCase),
  });
}

/** A time that is yet to come is taken for a slip: it would delete everything. */
function parseBefore(raw: string, now: number): number {
  const beforeMs = parseTime(raw);
  if (beforeMs !== undefined && beforeMs <= now) return beforeMs;
  const rule =
    beforeMs === undefined ? 'must be a time like 2026-01-31T12:00:00Z' : 'is yet to come';
  throw new Problem('INVALID_INPUT', `'before' ${rule}`);
}
