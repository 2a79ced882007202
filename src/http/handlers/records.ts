/** Handlers of records (interface 4.3). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import * as plain from '../../contract/plain-bulk.ts';
import { recordRoutes } from '../../contract/records.ts';
import type { RecordOutcome } from '../../domain/command.ts';
import type { RecordInput } from '../../domain/record.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import { type Answer, json, jsonType } from '../answer.ts';
import type { Caller } from '../authenticate.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import { tagOfZone } from '../entity-tag.ts';
import { recordFilterOf } from '../filter/record.ts';
import { parseId } from '../path-values.ts';
import { presentDiff } from '../present/diff.ts';
import { presentList } from '../present/list.ts';
import { presentRecord } from '../present/record.ts';
import { answerWithRecords } from '../present/record-outcome.ts';
import type { HandlerServices } from '../services.ts';

const list = endpoint(recordRoutes.listRecords, async ({ query, caller, view }) => {
  const sort = { key: query.sort, descending: query.order === 'desc' };
  const listed = await view.records.list(recordFilterOf(query, view.zones), sort, query);
  return json(
    200,
    presentList(listed, query, ({ zone, record }) => presentRecord(zone, record, caller)),
  );
});

const create = endpoint(recordRoutes.createRecord, async (request) => {
  const { body } = request;
  const dryRun = body.dry_run ?? false;
  const zoneName = normaliseZoneName(body.zone_name);
  const records = [inputOf(body)];
  const outcome = await request.submit({ kind: 'create-records', zoneName, records }, dryRun);
  return json(dryRun ? 200 : 201, presentChange(outcome, dryRun, request.caller));
});

const get = endpoint(recordRoutes.getRecord, ({ params, caller, view }) => {
  const { zone, record } = view.records.get(parseId(params.id));
  return json(200, { record: presentRecord(zone, record, caller) }, tagOfZone(zone));
});

const update = endpoint(recordRoutes.updateRecord, async (request) => {
  const { body } = request;
  const dryRun = body.dry_run ?? false;
  const outcome = await request.submit(
    {
      kind: 'update-record',
      id: parseId(request.params.id),
      name: body.name ?? undefined,
      type: body.type ?? undefined,
      value: body.value ?? undefined,
      ttl: body.ttl ?? undefined,
      priority: body.priority ?? undefined,
    },
    dryRun,
  );
  return json(200, presentChange(outcome, dryRun, request.caller));
});

function presentChange(outcome: RecordOutcome, dryRun: boolean, caller: Caller) {
  const { zone, records, diff, warnings } = outcome;
  return {
    applied: !dryRun,
    dry_run: dryRun,
    warnings,
    diff: presentDiff(diff),
    record: presentRecord(zone, records[0]!, caller),
  };
}

const remove = endpoint(recordRoutes.deleteRecord, async (request) => {
  const dryRun = request.query.dry_run ?? false;
  const id = parseId(request.params.id);
  const outcome = await request.submit({ kind: 'delete-record', id }, dryRun);
  return answerDeletion(outcome, dryRun, request.caller);
});

const removeMatching = endpoint(recordRoutes.deleteRecords, async (request) => {
  const { query } = request;
  const dryRun = query.dry_run ?? false;
  if (query.value !== undefined && query.type === undefined) {
    throw new Problem('INVALID_INPUT', "query parameter 'value' needs 'type' beside it");
  }
  const outcome = await request.submit(
    {
      kind: 'delete-records',
      zoneName: normaliseZoneName(query.zone_name),
      name: query.name,
      type: query.type,
      value: query.value,
      priority: query.priority,
    },
    dryRun,
  );
  return answerDeletion(outcome, dryRun, request.caller);
});

function answerDeletion(outcome: RecordOutcome, dryRun: boolean, caller: Caller): Answer {
  const deleted = outcome.count;
  return answerWithRecords(200, outcome, dryRun, { deleted }, caller);
}

const bulk = endpoint(recordRoutes.createRecords, (request, services) =>
  createMany(request, request.body.zone_name, services),
);

const bulkInZone = endpoint(recordRoutes.createRecordsInZone, (request, services) =>
  createMany(request, request.params.zone_name, services),
);

interface BulkBody {
  /** Very many stay what they were written as (large-body.ts). */
  readonly records: readonly WrittenRecord[] | plain.PlainRecords;
  readonly dry_run?: boolean | null | undefined;
}

async function createMany(
  request: CheckedRequest<never, unknown, BulkBody>,
  zone: string,
  { importer }: HandlerServices,
): Promise<Answer> {
  const dryRun = request.body.dry_run ?? false;
  const zoneName = normaliseZoneName(zone);
  const { caller, body } = request;
  const written = body.records;
  if ('octets' in written) {
    const bulk = { zoneName, records: written };
    const text = await importer.createWritten(bulk, caller.rights, request.submitOptions(dryRun));
    const status = dryRun ? 200 : 201;
    if (text !== undefined) return { status, mediaType: jsonType, body: text };
  }
  const records = 'octets' in written ? await readPlain(written) : written.map(inputOf);
  const command = { kind: 'create-records', zoneName, records } as const;
  const outcome =
    records.length > limits.commandRecords
      ? await importer.create(command, caller.rights, request.submitOptions(dryRun))
      : await request.submit(command, dryRun);
  const added = outcome.count;
  return answerWithRecords(dryRun ? 200 : 201, outcome, dryRun, { added }, caller);
}

/** Records read in one go: some milliseconds. */
const readAtOnce = 2000;

async function readPlain({ octets: { buffer } }: plain.PlainRecords): Promise<RecordInput[]> {
  const octets = Buffer.from(buffer);
  const records: RecordInput[] = [];
  for (const record of plain.plainRecords(octets)) {
    records.push(plain.inputOf(octets, record));
    if (records.length % readAtOnce === 0) await nextTurn();
  }
  return records;
}

/** A record as a body has it: null means not given. */
interface WrittenRecord {
  readonly name: string;
  readonly type: string;
  readonly value: string | string[];
  readonly ttl?: number | null | undefined;
  readonly priority?: number | null | undefined;
}

function inputOf({ name, type, value, ttl, priority }: WrittenRecord): RecordInput {
  return { name, type, value, ttl: ttl ?? undefined, priority: priority ?? undefined };
}

export const recordEndpoints: readonly Endpoint[] = [
  list,
  create,
  get,
  update,
  remove,
  removeMatching,
  bulk,
  bulkInZone,
];
