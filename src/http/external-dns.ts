/** What an external DNS controller asks and gets (interface 2.12 and 4.8). */
import { setImmediate } from 'node:timers/promises';
import { limits } from '../base/limits.ts';
import { excerpt, type ItemError, ListedProblem, Problem } from '../base/problem.ts';
import { externalDnsRoutes, type externalRecordInput } from '../contract/external-dns.ts';
import type { Checked } from '../contract/validate.ts';
import {
  adjustExternalRecord,
  type ExternalRecord,
  externalTypeNames,
  parseExternalType,
} from '../domain/external-dns.ts';
import { problemOfExternalRecord } from '../domain/external-dns-items.ts';
import { normaliseZoneName } from '../domain/zone.ts';
import { type Answer, arrayPieces, json, JsonText, streamed } from './answer.ts';
import { endpoints, type RequestOf } from './endpoint.ts';

export const externalDnsEndpoints = endpoints(externalDnsRoutes, {
  listExternalDomains: async ({ view }) => json(200, { domains: await view.externalDns.domains() }),

  listExternalRecords({ view }) {
    const records = arrayPieces(view.externalDns.records(), (record) => JSON.stringify(record));
    return streamed(200, { records: new JsonText(records) });
  },

  adjustExternalRecords: adjust,

  async applyExternalChanges(request, { writer }) {
    const { creates, deletes, updates, exclusive, deletions: known } = request.body;
    const items = [creates, deletes, updates].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    if (items > limits.externalDnsCallItems) {
      throw new Problem(
        'PAYLOAD_TOO_LARGE',
        `creates, deletes and updates: at most ${limits.externalDnsCallItems} together in one call, not ${items}`,
      );
    }
    const outcome = await writer.submit(
      {
        kind: 'apply-external-dns',
        creates: (creates ?? []).map(inputOf),
        deletes: (deletes ?? []).map(inputOf),
        updates: (updates ?? []).map((update) => {
          return { old: inputOf(update.old), new: inputOf(update.new) };
        }),
        exclusive: exclusive ?? false,
        deletions: new Map(known?.map((each) => [normaliseZoneName(each.zone_name), each.count])),
      },
      { ...request.submitOptions, source: 'external-dns' },
    );
    const { added, deleted, changedZones, deletions, warnings } = outcome;
    const { zones } = request.view;
    request.changed(...changedZones.map((name) => zones.ifThere(name)));
    const isPart = request.dryRun || (known ?? undefined) !== undefined;
    const byZone = [...deletions].map(([zone_name, count]) => ({ zone_name, count }));
    const counts = isPart ? { deletions: byZone } : {};
    return json(200, { added, deleted, changed_zones: changedZones, ...counts, warnings });
  },
});

/** Records that are looked at before others have their turn. */
const adjustedPerTurn = 100;

type AdjustRequest = RequestOf<(typeof externalDnsRoutes)['adjustExternalRecords']>;

async function adjust({ body, view }: AdjustRequest): Promise<Answer> {
  const surroundings = view.externalDns.surroundings();
  const adjusted: object[] = [];
  const wrongTypes: (ItemError & { readonly index: number })[] = [];
  const errors: ItemError[] = [];
  for (const [index, record] of body.records.entries()) {
    if (index % adjustedPerTurn === adjustedPerTurn - 1) await setImmediate();
    const type = parseExternalType(record.type);
    if (type === undefined) {
      wrongTypes.push(itemError(index, wrongType()));
      continue;
    }
    const input = inputOf(record);
    const { name, type: typeName, values } = adjustExternalRecord(input, type);
    adjusted.push({ name, type: typeName, ttl: record.ttl ?? null, values });
    if (body.check !== true) continue;
    const problem = problemOfExternalRecord(input, surroundings);
    if (problem !== undefined) errors.push(itemError(index, problem));
  }
  const [first] = wrongTypes;
  if (first !== undefined) {
    const { index } = first;
    const { name, type } = body.records[index]!;
    const field = `records[${index}] (${excerpt(name)} ${excerpt(type)})`;
    const problem = new Problem(first.code, `${field}: ${first.message}`);
    throw new ListedProblem(problem, wrongTypes);
  }
  return json(200, { records: adjusted, ...(body.check === true ? { errors } : {}) });
}

function wrongType(): Problem {
  return new Problem('INVALID_RECORD_VALUE', `type: is not one of ${externalTypeNames}`);
}

function itemError(index: number, { code, message }: Problem) {
  return { index, list: 'records', code, message };
}

function inputOf({ name, type, ttl, values }: Checked<typeof externalRecordInput>): ExternalRecord {
  return { name, type, ttl: ttl ?? undefined, values };
}
