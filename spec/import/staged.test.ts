/** Large imports: prepared in a thread, staged where no reader sees them, published by one event. */
import { describe, expect, it } from 'vitest';
import { createClearing } from '../../src/background/import/clearing.ts';
import { noLimit, spanOf } from '../../src/projection/stage-store.ts';
import { hosts, open, recordsOf, request, settle } from '../support/staged-zones.ts';
import { apiOptions, record } from '../support/stored-zones.ts';

describe('a staged import', () => {
  it.each(['append', 'upsert', 'replace'] as const)(
    '%s does what one command does',
    async (mode) => {
      const outcomes: unknown[] = [];
      for (const smallRecords of [0, 10_000]) {
        const all = open(smallRecords);
        const { stored, importer } = all;
        await stored.zone('example.com', { apexNs: true });
        const before = ['h1', 'h3', 'kept', '*.wild', 'h1.below'].map((name) =>
          record(name, 'A', '192.0.2.7', { ttl: 60 }),
        );
        await stored.add('example.com', ...before, record('h3', 'TXT', 'text'));
        const content = [...hosts(200), 'h7 300 IN TXT "more"', 'h3 300 IN TXT text'].join('\n');
        const { diff, ...result } = await importer.run(request(content, { mode }));
        const entries: string[] = [];
        if ('summary' in diff) {
          for await (const piece of diff.entries) entries.push(Buffer.from(piece).toString());
          expect(JSON.parse(`[${entries.join('')}]`)).toHaveLength(
            diff.summary.added + diff.summary.changed + diff.summary.removed,
          );
        }
        const zone = stored.zones.byName('example.com')!;
        outcomes.push({
          result,
          records: recordsOf(stored),
          serial: zone.serial,
          count: zone.recordCount,
        });
        await settle(all);
        // What comes after meets an ordinary zone.
        await stored.add('example.com', record('after', 'A', '192.0.2.9'));
        await stored.run({ kind: 'delete-records', zoneName: 'example.com', name: 'h7' });
        await settle(all);
      }
      expect(outcomes[0]).toEqual(outcomes[1]);
    },
  );

  it('makes a zone from its SOA', async () => {
    const all = open();
    const soa = '@ 3600 IN SOA ns1.example.net. admin.example.net. 77 400 60 3600000 900';
    const result = await all.importer.run(
      request([soa, '@ IN NS ns1.example.net.', ...hosts(100)].join('\n'), { create: true }),
    );
    expect(result).toMatchObject({ applied: true, summary: { parsed: 101, added: 101 } });
    expect(all.stored.zones.byName('example.com')).toMatchObject({
      serial: 77,
      mname: 'ns1.example.net',
      refresh: 400,
      minimumTtl: 900,
      recordCount: 101,
    });
    await settle(all);
  });

  it('takes values of the caller in place of those that its SOA can not give', async () => {
    const all = open();
    const soa = '@ 3600 IN SOA . . 3000000000 400 60 3600000 0';
    const lines = [soa, '@ IN NS ns1.example.net.', ...hosts(100), 'h7 9 IN CNAME x.'];
    const content = lines.slice(0, -1).join('\n');
    const faulty = await all.importer.run(request(lines.join('\n'), { create: true }));
    expect(faulty.errors).toEqual([
      expect.stringMatching(/^line 1: SOA mname: .*; give mname$/),
      expect.stringMatching(/^line 1: SOA rname: .*; give rname$/),
      expect.stringMatching(/^line 1: SOA serial: .*; give serial$/),
      expect.stringMatching(/^line 1: SOA minimum_ttl: .*; give minimum_ttl$/),
      expect.stringMatching(/^line 103: .*CNAME/),
    ]);
    const overrides = { mname: 'ns1.example', rname: 'h@example', serial: 9, minimumTtl: 60 };
    const more = { create: true, overrides };
    const dryRun = { ...apiOptions, dryRun: true };
    const dry = await all.importer.run(request(content, { ...more, options: dryRun }));
    expect([dry.applied, dry.errors]).toEqual([false, []]);
    const result = await all.importer.run(request(content, more));
    expect(result).toMatchObject({ applied: true, summary: { added: 101 } });
    expect(all.stored.zones.byName('example.com')).toMatchObject({ ...overrides, refresh: 400 });
    await settle(all);
    await expect(all.importer.run(request(content, more))).rejects.toThrow('keeps its SOA');
    await settle(all);
  });

  it('without an SOA makes no zone, and stages nothing', async () => {
    const all = open();
    const running = all.importer.run(request(hosts(100).join('\n'), { create: true }));
    await expect(running).rejects.toThrow('needs an SOA');
    expect(all.stages.isEmpty()).toBe(true);
  });

  it.each(['upsert', 'replace'] as const)('case 99: of nothing is no %s', async (mode) => {
    const all = open();
    await all.stored.zone('example.com');
    await all.stored.add('example.com', record('www', 'A', '192.0.2.1'));
    const soa = '@ 3600 IN SOA ns1.example.net. admin.example.net. 77 400 60 3600000 900';
    for (const content of ['', soa]) {
      const result = await all.importer.run(request(content, { mode }));
      expect(result).toMatchObject({
        applied: false,
        errors: [expect.stringContaining('no record to store')],
      });
      expect(all.stages.isEmpty()).toBe(true);
    }
    expect(all.stored.zones.byName('example.com')).toMatchObject({ serial: 2, recordCount: 1 });
    await settle(all);
  });

  it('case 91: refuses an SOA that can not be held, and leaves nothing behind', async () => {
    const all = open();
    const soa = '@ 3600 IN SOA ns1.example.net. admin.example.net. 3000000000 400 60 3600000 900';
    const result = await all.importer.run(
      request([soa, ...hosts(100)].join('\n'), { create: true }),
    );
    expect(result.applied).toBe(false);
    expect(result.errors[0]).toMatch(/^line 1: .*serial/);
    expect(all.stored.zones.byName('example.com')).toBeUndefined();
    await settle(all);
    expect(all.stored.connection.prepare('SELECT count(*) FROM record').pluck().get()).toBe(0);
  });

  it('applies nothing of a file with faults, and names their lines', async () => {
    const all = open();
    await all.stored.zone('example.com');
    await all.stored.add('example.com', record('h5', 'CNAME', 'www.example.net.'));
    const lines = [...hosts(50), 'h9 600 IN A 10.1.1.1'];
    const result = await all.importer.run(request(lines.join('\n')));
    expect(result.applied).toBe(false);
    expect(result.errors).toHaveLength(2);
    expect(result.errors[0]).toMatch(/^line 6: .*CNAME/);
    expect(result.errors[1]).toMatch(/^line 51: .*TTL/);
    expect(all.stored.zones.byName('example.com')!.serial).toBe(2);
    await settle(all);
  });

  it('says in a dry run what it would do', async () => {
    const all = open();
    await all.stored.zone('example.com');
    const dryRun = { ...apiOptions, dryRun: true };
    const result = await all.importer.run(request(hosts(60).join('\n'), { options: dryRun }));
    expect(result).toMatchObject({ applied: false, summary: { parsed: 60, added: 60 } });
    expect('summary' in result.diff && result.diff.summary).toEqual({
      added: 60,
      changed: 0,
      removed: 0,
    });
    expect(all.stored.zones.byName('example.com')).toMatchObject({ serial: 1, recordCount: 0 });
    await settle(all);
  });

  it('moves nothing when there is nothing to do', async () => {
    const all = open();
    await all.stored.zone('example.com');
    await all.importer.run(request(hosts(60).join('\n')));
    const again = await all.importer.run(request(hosts(60).join('\n'), { mode: 'replace' }));
    expect(again).toMatchObject({ applied: true, summary: { unchanged: 60, added: 0 } });
    expect(all.stored.zones.byName('example.com')!.serial).toBe(2);
    await settle(all);
  });

  it('is planned anew when the zone moves meanwhile, and loses nothing of either', async () => {
    const all = open();
    const { stored, importer } = all;
    await stored.zone('example.com');
    await importer.run(request(hosts(900).join('\n')));
    let isRunning = true;
    const changes = (async () => {
      for (let index = 0; isRunning; index++) {
        await stored.add('example.com', record(`live${index}`, 'A', '192.0.2.1'));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    const result = await importer.run(request(hosts(950, 600).join('\n'), { mode: 'upsert' }));
    isRunning = false;
    await changes;
    expect(result).toMatchObject({ applied: true, summary: { updated: 900, added: 50 } });
    const zone = stored.zones.byName('example.com')!;
    const live = zone.recordCount - 950;
    expect(live).toBeGreaterThan(0);
    expect(zone.serial).toBe(1 + 1 + 1 + live);
    await settle(all);
  });

  it('clears away, by and by, what was prepared before the service ended', async () => {
    const all = open();
    const { stored, stages } = all;
    await stored.zone('example.com');
    const stage = await stored.writer.operate({ kind: 'open-stage', zoneId: 1, records: 2 });
    await stored.writer.operate({
      kind: 'put-slice',
      stage,
      slice: {
        parts: [
          {
            part: 0,
            change: 1,
            layer: 0,
            count: 1,
            records: Buffer.from('x'),
            ids: Buffer.from('y'),
          },
        ],
        blocks: {
          index: Uint32Array.of(0, noLimit, 0, 0, 0, 0, 0),
          keys: new Uint8Array(0),
          records: new Uint8Array(0),
          ids: new Uint8Array(0),
        },
        locations: {
          firstId: stage.firstId,
          spans: JSON.stringify([spanOf(0, 1), spanOf(1, 1)]),
          owners: Buffer.from('ab'),
        },
      },
    });
    stored.writer.endStage(stage.number);
    const clearing = createClearing(stored.writer);
    clearing.start();
    await expect.poll(() => stages.isEmpty()).toBe(true);
    await clearing.stop();
    for (const table of ['event_delta', 'record']) {
      expect(stored.connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
    }
    await settle(all);
  });
});
