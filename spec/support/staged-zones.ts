/** Stored zones with an importer that stages what a service would stage only when it is very much. */
import { afterEach, expect } from 'vitest';
import { openPolicy } from './destination.ts';
import { Importer } from '../../src/background/import/importer.ts';
import type { ImportRequest } from '../../src/background/import/requests.ts';
import { verifyChain } from '../../src/journal/verify.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { apiOptions, openStoredZones, type StoredZones } from './stored-zones.ts';
import { fullRights, type Rights } from '../../src/domain/access/rights.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import { answerWithRecords } from '../../src/http/records.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Every file of more than `smallRecords` records is staged. */
export interface StagedZones {
  readonly stored: StoredZones;
  readonly importer: Importer;
  readonly stages: StageStore;
}

export function open(smallRecords = 0): StagedZones {
  const stored = openStoredZones({ durable: false });
  closing.push(() => stored.close());
  const { writer, zones } = stored;
  const stages = new StageStore(stored.connection);
  const importer = new Importer(
    {
      writer,
      zones,
      outbound: openPolicy(),
      clock: () => Date.now(),
      workers: stored.workers,
    },
    {
      defaultTtl: 3600,
      transferTimeoutMs: 1000,
      transferMaxRecords: 1000,
      transferMaxBytes: 1e6,
      smallRecords,
    },
  );
  return { stored, importer, stages };
}

export function request(content: string, more: Partial<ImportRequest> = {}): ImportRequest {
  return {
    zoneName: 'example.com',
    mode: 'append',
    create: false,
    overrides: undefined,
    skipUnsupported: false,
    source: content,
    fromServer: undefined,
    reach: 'private',
    owner: 'tests',
    ended: undefined,
    tsigKey: undefined,
    rights: fullRights,
    options: apiOptions,
    ...more,
  };
}

/** The answer of one command that makes the same records as a bulk insert. */
export async function answerOfCommand(
  stored: StoredZones,
  zoneName: string,
  records: readonly RecordInput[],
  options = apiOptions,
  rights: Rights = fullRights,
): Promise<string> {
  const outcome = await stored.run({ kind: 'create-records', zoneName, records }, options);
  const request = { dryRun: options.dryRun, caller: { rights } };
  const asked = request as Parameters<typeof answerWithRecords>[2];
  const { body } = await answerWithRecords(201, outcome, asked, { added: outcome.count });
  if (typeof body === 'string') return body;
  return (await Array.fromAsync(body)).join('');
}

/** The answer to a bulk insert. */
export async function answerIn(text: AsyncIterable<Uint8Array> | undefined) {
  return JSON.parse(Buffer.concat(await Array.fromAsync(text!)).toString());
}

/** Clears away what is left, and proves that nothing but the journal's truth stays. */
export async function settle({ stored, stages }: StagedZones): Promise<void> {
  while (await stored.writer.operate({ kind: 'clear-stages' }));
  expect(stages.isEmpty()).toBe(true);
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
}

export function recordsOf(stored: StoredZones, zoneId = 1): string[] {
  const { items } = stored.records.list(
    fullRights,
    { zoneId },
    { key: 'name', descending: false },
    { limit: 1000, offset: 0 },
  );
  for (const { zone, record: one } of items) {
    expect(stored.records.byId(one.id)).toEqual({ zone, record: one });
  }
  return items.map(({ record: one }) => {
    return `${one.owner} ${one.type} ${one.ttl} ${one.rdata.toString('hex')}`;
  });
}

export const hosts = (count: number, ttl = 300) =>
  Array.from({ length: count }, (_, index) => `h${index} ${ttl} IN A 10.0.0.${index % 250}`);
