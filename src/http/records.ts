/** Records (interface 2.3 and 4.3). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Moment } from '../contract/fields.ts';
import * as scanned from '../contract/scanned-bulk.ts';
import { type recordInput, recordRoutes } from '../contract/records.ts';
import type { Checked } from '../contract/validate.ts';
import { emptyName, keyFromLabels, NameError, splitNameText } from '../dns/name.ts';
import { dnssecTypes, mayBeStored, parseType } from '../dns/rrtype.ts';
import type { RecordOutcome } from '../domain/command.ts';
import { parseOwner, type RecordInput } from '../domain/record.ts';
import { apexOf, normaliseZoneName, type Zone } from '../domain/zone.ts';
import type { RecordFilter } from '../query/record-queries.ts';
import { recordWriter } from '../query/record-writer.ts';
import { type Answer, arrayPieces, JsonText, json, jsonType, streamed } from './answer.ts';
import { type CheckedRequest, endpoints, type RequestOf } from './endpoint.ts';
import { tagOfZone } from './entity-tag.ts';
import { givenOf, pageFields } from './fields.ts';
import {
  answerRecords,
  bytesOfRecords,
  diffJson,
  longDiffJson,
  recordJson,
} from './record-texts.ts';
import { momentOf, parseId } from './request-source.ts';
import type { HandlerServices } from './services.ts';
import type { CallerView } from './view/view.ts';
import type { ZoneView } from './view/zones.ts';

type AnyRequest = CheckedRequest<never, unknown, unknown>;
type ListQuery = RequestOf<(typeof recordRoutes)['listRecords']>['query'];

export const recordEndpoints = endpoints(recordRoutes, {
  async listRecords(request) {
    const { query, caller, view, page } = request;
    const sort = { key: query.sort, descending: query.order === 'desc' };
    const at = momentOf(query.at);
    const filter = recordFilterOf(query, view.zones);
    const listed =
      at === undefined
        ? await view.records.list(filter, sort, page)
        : await view.records.listThen(thenOf(query, at, view), filter, sort, page);
    return answerRecords(listed.items, caller.rights, (items) => {
      return { items, ...pageFields(listed, request) };
    });
  },

  async createRecord(request) {
    const { zone_name, ...record } = request.body;
    const zoneName = normaliseZoneName(zone_name);
    const records = [inputOf(record)];
    const outcome = await request.submit({ kind: 'create-records', zoneName, records });
    return answerChange(request.created, outcome, request);
  },

  getRecord({ params, caller, view }) {
    const found = view.records.get(parseId(params.id));
    return json(200, { record: recordJson(found, caller.rights) }, tagOfZone(found.zone));
  },

  async updateRecord(request) {
    const id = parseId(request.params.id);
    const outcome = await request.submit({ kind: 'update-record', id, ...request.given });
    return answerChange(200, outcome, request);
  },

  async deleteRecord(request) {
    const id = parseId(request.params.id);
    return answerDeletion(await request.submit({ kind: 'delete-record', id }), request);
  },

  async deleteRecords(request) {
    const { query } = request;
    if (query.value !== undefined && query.type === undefined) {
      throw new Problem('INVALID_INPUT', "query parameter 'value' needs 'type' beside it");
    }
    const zoneName = normaliseZoneName(query.zone_name);
    const command = { kind: 'delete-records', ...givenOf(query), zoneName } as const;
    return answerDeletion(await request.submit(command), request);
  },

  createRecords: (request, services) => createMany(request, request.body.zone_name, services),

  createRecordsInZone: (request, services) =>
    createMany(request, request.params.zone_name, services),
});

function answerChange(
  status: number,
  { zone, records, diff, warnings }: RecordOutcome,
  { applied, caller }: AnyRequest,
): Answer {
  const record = recordJson({ zone, record: records[0]! }, caller.rights);
  return json(status, { ...applied, warnings, diff: diffJson(diff), record });
}

function answerDeletion(outcome: RecordOutcome, request: AnyRequest): Promise<Answer> | Answer {
  return answerWithRecords(200, outcome, request, { deleted: outcome.count });
}

/** Records and RRsets up to which an outcome is written at once: about a millisecond of work. */
const rowsAtOnce = 500;

/** `counts` are the fields that say how many records were added or deleted. */
export function answerWithRecords(
  status: number,
  { zone, records, diff, warnings }: RecordOutcome,
  { dryRun, caller, isMinimal }: Pick<AnyRequest, 'dryRun' | 'caller' | 'isMinimal'>,
  counts: Readonly<Record<string, number>>,
): Promise<Answer> | Answer {
  const head = { applied: !dryRun, ...counts, dry_run: dryRun, warnings };
  if (isMinimal) return json(status, head);
  const write = recordWriter(zone, caller.rights);
  if (records.length + diff.entries.length <= rowsAtOnce) {
    const texts = new JsonText(`[${records.map(write).join(',')}]`);
    return json(status, { ...head, diff: diffJson(diff), records: texts });
  }
  const pieces = new JsonText(arrayPieces([records], write), bytesOfRecords(records));
  return streamed(status, { ...head, diff: longDiffJson(diff), records: pieces });
}

interface BulkBody {
  /** Very many stay what they were written as (large-body.ts). */
  readonly records: readonly RawRecord[] | scanned.ScannedRecords;
}

async function createMany(
  request: CheckedRequest<never, unknown, BulkBody>,
  zone: string,
  { importer }: HandlerServices,
): Promise<Answer> {
  const { caller, body, submitOptions, isMinimal } = request;
  const zoneName = normaliseZoneName(zone);
  const given = body.records;
  const bulk = 'bytes' in given ? given : given.map(inputOf);
  if ('bytes' in bulk || bulk.length > limits.commandRecords) {
    const { rightsNow } = request;
    const order = { zoneName, records: bulk, isMinimal, rightsNow };
    const text = await importer.create(order, caller.rights, submitOptions);
    if (text !== undefined) return { status: request.created, mediaType: jsonType, body: text };
  }
  const records = 'bytes' in bulk ? await readScanned(bulk) : bulk;
  const command = { kind: 'create-records', zoneName, records, isList: true } as const;
  const outcome = await request.submit(command);
  return answerWithRecords(request.created, outcome, request, { added: outcome.count });
}

/** Records read in one go: some milliseconds. */
const readAtOnce = 2000;

async function readScanned({ bytes: { buffer } }: scanned.ScannedRecords): Promise<RecordInput[]> {
  const bytes = Buffer.from(buffer);
  const records: RecordInput[] = [];
  for (const record of scanned.scannedRecords(bytes)) {
    records.push(scanned.inputOf(bytes, record));
    if (records.length % readAtOnce === 0) await nextTurn();
  }
  return records;
}

/** A record as a body has it: null means not given. */
type RawRecord = Checked<typeof recordInput>;

function inputOf({ name, type, value, ttl, priority }: RawRecord): RecordInput {
  return { name, type, value, ttl: ttl ?? undefined, priority: priority ?? undefined };
}

/** `zones`: those that the caller sees. Texts that are empty are no filter (decisions 16). */
function recordFilterOf(query: ListQuery, zones: ZoneView): RecordFilter {
  const { ttl, minTtl, maxTtl, priority, minPriority, maxPriority, ...given } = givenOf(query);
  const { zoneName, value, search, signed = false, changedBy, changedSince } = given;
  const ofChanges = { changed_by: Boolean(changedBy), changed_since: changedSince !== undefined };
  const ofZone = { signed, at: query.at !== undefined, below: Boolean(given.below), ...ofChanges };
  for (const [name, isAsked] of Object.entries(ofZone)) {
    if (!isAsked || zoneName) continue;
    throw new Problem('INVALID_INPUT', `query parameter '${name}' needs 'zone_name' beside it`);
  }
  const ofUsers = { value: value !== undefined, ...ofChanges };
  for (const [name, isAsked] of Object.entries(ofUsers)) {
    if (!signed || !isAsked) continue;
    const problem = `query parameter '${name}' can not be combined with 'signed'`;
    throw new Problem('INVALID_INPUT', problem);
  }
  const type = given.type === undefined ? undefined : typeOf(given.type, signed);
  const zone = zoneName ? zones.get(zoneName) : undefined;
  return {
    zoneId: zone?.id,
    ...ownerOf(given.name, zone),
    below: given.below && zone ? parseOwner(given.below, apexOf(zone)) : undefined,
    type,
    value: value || undefined,
    ...{ ttl, minTtl, maxTtl, priority, minPriority, maxPriority },
    search: search || undefined,
    signed: signed || undefined,
    changedBy: changedBy || undefined,
    changedSince,
  };
}

/** The version that a moment names, of the zone that is named beside it. */
function thenOf({ zone_name }: ListQuery, at: Moment, view: CallerView) {
  const zone = view.zones.get(zone_name ?? '');
  return { zone, serial: view.versions.of(zone, at).serial };
}

/** A DNSSEC type only where these are asked for. */
function typeOf(raw: string, signed: boolean): number {
  const type = parseType(raw.trim());
  if (type === undefined || !dnssecTypes.has(type)) return storedType(raw);
  if (signed) return type;
  throw new Problem('INVALID_INPUT', `type ${raw.toUpperCase()} is returned with signed=true only`);
}

/** A type that records of users have. */
export function storedType(raw: string): number {
  const type = parseType(raw.trim());
  if (type !== undefined && mayBeStored(type)) return type;
  throw new Problem('INVALID_INPUT', `type '${raw.slice(0, 60)}' is no record type stored here`);
}

/** The owner as requests write it (decisions 6): in its zone, or, when no zone is given, in each. */
function ownerOf(
  raw: string | undefined,
  zone: Zone | undefined,
): Pick<RecordFilter, 'owner' | 'absoluteName' | 'openName'> {
  const name = raw?.trim() ?? '';
  if (name === '') return {};
  if (zone !== undefined) return { owner: parseOwner(name, apexOf(zone)) };
  if (name === '@') return { openName: emptyName };
  try {
    const { labels, absolute } = splitNameText(name);
    const key = keyFromLabels(labels);
    return absolute ? { absoluteName: key } : { openName: key };
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    throw new Problem('INVALID_RECORD_NAME', `name: '${name.slice(0, 60)}' ${error.message}`);
  }
}
