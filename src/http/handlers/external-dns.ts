/** Handlers of an external DNS controller (interface 4.8). */

import { setImmediate } from 'node:timers/promises';
import { excerpt, type ItemError, ListedProblem, Problem } from '../../base/problem.ts';
import * as contract from '../../contract/external-dns.ts';
import { joined } from '../../contract/record-text.ts';
import {
  adjustExternalRecord,
  type ExternalRecord,
  externalTypeNames,
  parseExternalType,
  type StoredExternalRecord,
} from '../../domain/external-dns.ts';
import { problemOfExternalRecord } from '../../domain/external-dns-items.ts';
import { begun, json, jsonType } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { HandlerServices } from '../services.ts';

const domains = endpoint(contract.listExternalDomains, async ({ view }) =>
  json(200, { domains: await view.externalDns.domains() }),
);

const records = endpoint(contract.listExternalRecords, async ({ view }) => {
  const body = await begun(recordsText(view.externalDns.records()));
  return { status: 200, mediaType: jsonType, body };
});

async function* recordsText(
  parts: AsyncIterable<readonly StoredExternalRecord[]>,
): AsyncGenerator<string> {
  let opening = '{"records":[';
  for await (const part of parts) {
    yield opening;
    yield* joined(part, (record) => JSON.stringify(record));
    opening = ',';
  }
  yield opening === ',' ? ']}' : `${opening}]}`;
}

/** Records that are looked at before others have their turn. */
const adjustedPerTurn = 100;

const adjust = endpoint(contract.adjustExternalRecords, async ({ body, view }) => {
  const surroundings = view.externalDns.surroundings();
  const adjusted: object[] = [];
  const wrongTypes: ItemError[] = [];
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
    const { name, type } = body.records[first.index]!;
    const place = `records[${first.index}] (${excerpt(name)} ${excerpt(type)})`;
    const problem = new Problem(first.code, `${place}: ${first.message}`);
    throw new ListedProblem(problem, wrongTypes);
  }
  return json(200, { records: adjusted, ...(body.check === true ? { errors } : {}) });
});

function wrongType(): Problem {
  return new Problem('INVALID_RECORD_VALUE', `type: is not one of ${externalTypeNames}`);
}

function itemError(index: number, { code, message }: Problem): ItemError {
  return { index, list: 'records', code, message };
}

const apply = endpoint(contract.applyExternalChanges, async (request, { engine }) => {
  const { creates, deletes, updates, exclusive } = request.body;
  const outcome = await engine.submit(
    {
      kind: 'apply-external-dns',
      creates: (creates ?? []).map(inputOf),
      deletes: (deletes ?? []).map(inputOf),
      updates: (updates ?? []).map((update) => {
        return { old: inputOf(update.old), new: inputOf(update.new) };
      }),
      exclusive: exclusive ?? false,
    },
    { ...request.submitOptions(false), source: 'external-dns' },
  );
  const { added, deleted, changedZones, warnings } = outcome;
  return json(200, { added, deleted, changed_zones: changedZones, warnings });
});

interface WrittenRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number | null | undefined;
  readonly values: readonly string[];
}

function inputOf({ name, type, ttl, values }: WrittenRecord): ExternalRecord {
  return { name, type, ttl: ttl ?? undefined, values };
}

/** What is switched off has no path at all. */
export function externalDnsEndpoints({ options }: HandlerServices): readonly Endpoint[] {
  return options.externalDnsEnabled ? [domains, records, adjust, apply] : [];
}
