/** Handlers of an external DNS controller (interface 4.8). */

import { Problem } from '../../base/problem.ts';
import * as contract from '../../contract/external-dns.ts';
import { joined } from '../../contract/record-text.ts';
import {
  adjustExternalRecord,
  type ExternalRecord,
  externalTypeNames,
  parseExternalType,
  type StoredExternalRecord,
} from '../../domain/external-dns.ts';
import { begun, json, jsonType } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';

const domains = endpoint(contract.listExternalDomains, async ({ caller }, { externalDns }) =>
  json(200, { domains: await externalDns.domains(caller.rights) }),
);

const records = endpoint(contract.listExternalRecords, async ({ caller }, { externalDns }) => {
  const body = await begun(recordsText(externalDns.records(caller.rights)));
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

const adjust = endpoint(contract.adjustExternalRecords, ({ body }) => {
  const adjusted = body.records.map((record, index) => {
    const type = parseExternalType(record.type);
    if (type === undefined) {
      throw new Problem(
        'INVALID_RECORD_VALUE',
        `records[${index}] (${record.name.slice(0, 300)} ${record.type.slice(0, 60)}): type: is not one of ${externalTypeNames}`,
      );
    }
    const { name, type: typeName, values } = adjustExternalRecord(inputOf(record), type);
    return { name, type: typeName, ttl: record.ttl ?? null, values };
  });
  return json(200, { records: adjusted });
});

const apply = endpoint(contract.applyExternalChanges, async (request, { engine }) => {
  const { creates, deletes, updates } = request.body;
  const outcome = await engine.submit(
    {
      kind: 'apply-external-dns',
      creates: (creates ?? []).map(inputOf),
      deletes: (deletes ?? []).map(inputOf),
      updates: (updates ?? []).map((update) => {
        return { old: inputOf(update.old), new: inputOf(update.new) };
      }),
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
export function externalDnsEndpoints({ options }: Services): readonly Endpoint[] {
  return options.externalDnsEnabled ? [domains, records, adjust, apply] : [];
}
