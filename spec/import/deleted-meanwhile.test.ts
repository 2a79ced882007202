/** Zones that are deleted, made and purged while a large change of them is prepared. */
import { expect, it } from 'vitest';
import { fullRights } from '../../src/domain/access/rights.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { bySystem } from '../../src/writer/submission.ts';
import type { Writer } from '../../src/writer/writer.ts';
import { InProcessService } from '../support/in-process.ts';
import { SignedZoneDesk } from '../support/signing.ts';
import { open, request, type StagedZones } from '../support/staged-zones.ts';
import { apiOptions, record } from '../support/stored-zones.ts';

const name = 'example.com';
const file = [
  '@ 300 IN SOA ns1 host 5 300 60 3600 60',
  '@ 300 IN NS ns1.example.net.',
  ...Array.from({ length: 3000 }, (_, index) => `h${index} 300 IN A 192.0.2.1`),
].join('\n');
const making = request(file, { create: true, mode: 'replace' });
const deletion = { kind: 'delete-zone', zoneName: name } as const;

/** Calls `after` when an operation of some kind is done, with how many there were before. */
function afterEach(
  writer: Pick<Writer, 'operate'>,
  kind: Parameters<Writer['operate']>[0]['kind'],
  after: (before: number) => unknown,
): void {
  const operate = writer.operate.bind(writer);
  let done = 0;
  writer.operate = async (operation) => {
    const result = await operate(operation);
    if (operation.kind === kind) await after(done++);
    return result;
  };
}

async function settle({ stored }: StagedZones): Promise<void> {
  while (await stored.writer.operate({ kind: 'clear-stages' }));
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
}

it('invariant 8: an import does not make a zone anew under the id of the one that was deleted meanwhile', async () => {
  const made = open();
  const { stored, importer } = made;
  const before = await stored.zone(name);
  await stored.add(name, record('old', 'A', '192.0.2.9'));
  // After it was looked up, and before the thread that plans reads it.
  afterEach(stored.writer, 'open-stage', (count) =>
    count === 0 ? stored.run(deletion) : undefined,
  );
  expect(await importer.run(making)).toMatchObject({ applied: true });
  const after = stored.zones.byName(name)!;
  expect(after).toMatchObject({ recordCount: 3001 });
  expect(after.id).not.toBe(before.id);
  await stored.run({ kind: 'purge-zone', name });
  await settle(made);
});

it('who makes a zone waits while an import makes it', async () => {
  const made = open();
  const { stored, importer } = made;
  await stored.zone(name);
  afterEach(stored.writer, 'put-slice', (count) =>
    count === 0 ? stored.run(deletion) : undefined,
  );
  let other: Promise<unknown> = Promise.resolve();
  afterEach(stored.writer, 'open-stage', (count) => {
    if (count === 0) return;
    const refused = expect(stored.zone(name)).rejects;
    other = refused.toMatchObject({ code: 'ZONE_CONFLICT' });
  });
  expect(await importer.run(making)).toMatchObject({ applied: true });
  await other;
  expect(stored.zones.byName(name)).toMatchObject({ recordCount: 3001 });
  await settle(made);
});

it('a rollback does not go on in another zone that has the name by now', async () => {
  const made = open();
  const { stored, importer } = made;
  await stored.zone(name);
  await stored.add(name, record('old', 'A', '192.0.2.9'));
  const zone = stored.zones.byName(name)!;
  afterEach(stored.writer, 'open-stage', async (count) => {
    if (count > 0) return;
    await stored.run(deletion);
    await stored.zone(name, { serial: 1 });
    await stored.add(name, record('new', 'A', '192.0.2.9'));
  });
  const target = { zone, targetSerial: 1, settings: zone };
  const back = importer.rollBack({ ...target, rights: fullRights, options: apiOptions });
  await expect(back).rejects.toMatchObject({ code: 'ZONE_NOT_FOUND' });
  expect(stored.zones.byName(name)).toMatchObject({ serial: 2 });
  await settle(made);
});

it('a bulk insert does not find a zone that is deleted while it is planned', async () => {
  const made = open();
  const { stored, importer } = made;
  await importer.run(making);
  const records = [record('x', 'A', '192.0.2.1'), record('y', 'A', '192.0.2.1')];
  afterEach(stored.writer, 'open-stage', () => stored.run(deletion));
  const inserted = importer.create({ zoneName: name, records }, fullRights, apiOptions);
  await expect(inserted).rejects.toMatchObject({ code: 'ZONE_NOT_FOUND' });
});

it('a purge waits while a restored zone is signed', async () => {
  const service = new InProcessService();
  try {
    await SignedZoneDesk.signed(service, name);
    const records = Array.from({ length: 500 }, (_, index) => {
      return { name: `h${index}`, type: 'A', value: '192.0.2.1' };
    });
    await service.call('POST', '/records/bulk', { zone_name: name, records });
    await service.call('DELETE', `/zones/${name}`);
    let purge: Promise<unknown> = Promise.resolve();
    afterEach(service.writer, 'open-stage', async () => {
      purge = service.writer.submit({ kind: 'purge-zone', name }, bySystem);
      purge = expect(purge).rejects.toMatchObject({ code: 'ZONE_NOT_FOUND' });
      while (await service.writer.operate({ kind: 'clear-stages' }));
    });
    await service.call('POST', `/zones/${name}/restore`, {}, 200);
    await purge;
    expect(await service.verify()).toEqual([]);
  } finally {
    await service.close();
  }
});
