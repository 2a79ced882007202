/**
 * The real ExternalDNS controller, built from its module, with the adapter and a service: sources that others fill
 * never end its process, and what can be applied is applied.
 */
import { expect, it, onTestFinished } from 'vitest';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import {
  ControllerBench,
  findController,
  needed,
  type Run,
  type SourceEndpoint,
} from '../support/real-controller.ts';

const reason = await findController();
if (reason !== undefined) console.warn(`the controller can not be built here: ${reason}`);

const dotted = '--txt-prefix=%{record_type}-own.';
/** So that the controller asks for what only others would want. */
const allTypes = ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS', 'SRV'].map(
  (type) => `--managed-record-types=${type}`,
);

async function opened(zones: readonly string[], grants?: object[]): Promise<ControllerBench> {
  const bench = await ControllerBench.open(zones, grants);
  onTestFinished(() => bench.close());
  return bench;
}

const of = (
  dnsName: string,
  recordType: string,
  targets: readonly string[],
  more: Partial<SourceEndpoint> = {},
): SourceEndpoint => ({ dnsName, recordType, targets, ...more });

function expectEnd({ code, output }: Run): void {
  expect(code, output).toBe(0);
  expect(output).not.toMatch(/level=(?:error|fatal)/);
}

/** What tenants of a cluster may ask for, and what of it nobody can have. */
const wishes: readonly SourceEndpoint[] = [
  of('www.tenants.example', 'A', ['192.0.2.2', '192.0.2.1'], { recordTTL: 60 }),
  of('www.tenants.example', 'AAAA', ['2001:DB8::1']),
  of('tenants.example', 'A', ['192.0.2.3']),
  of('UPPER.Tenants.Example', 'A', ['192.0.2.4']),
  of('*.wild.tenants.example', 'A', ['192.0.2.5']),
  of('zero.tenants.example', 'A', ['192.0.2.6'], { recordTTL: 0 }),
  of('longest.tenants.example', 'A', ['192.0.2.6'], { recordTTL: 2 ** 31 - 1 }),
  of('alias.tenants.example', 'CNAME', ['Www.Tenants.Example']),
  of('text.tenants.example', 'TXT', ['v=spf1 -all']),
  of('deep.sub.tenants.example', 'A', ['192.0.2.7']),
  of('sub.tenants.example', 'A', ['192.0.2.8']),
  // Two owners of one name: the controller takes one of them.
  of('both.tenants.example', 'A', ['192.0.2.9'], { labels: { resource: 'ingress/a/x' } }),
  of('both.tenants.example', 'A', ['192.0.2.9'], { labels: { resource: 'ingress/b/x' } }),
];

const hostile: readonly SourceEndpoint[] = [
  of('www.foreign.test', 'A', ['192.0.2.1']),
  of('foreign.test', 'CNAME', ['x.example']),
  of('www.hidden.tenants.example', 'A', ['192.0.2.1']),
  of('hidden.tenants.example', 'A', ['192.0.2.1']),
  of('apex.example', 'CNAME', ['x.example']),
  of('mail.tenants.example', 'MX', ['10 mail.tenants.example']),
  of('cut.tenants.example', 'NS', ['ns.elsewhere.example']),
  of('_sip._udp.tenants.example', 'SRV', ['0 50 5060 sip.tenants.example.']),
  of('weighted.tenants.example', 'A', ['192.0.2.1'], { setIdentifier: 'blue' }),
  of('weighted.tenants.example', 'A', ['192.0.2.2'], { setIdentifier: 'green' }),
  of('late.tenants.example', 'A', ['192.0.2.1'], { recordTTL: 2 ** 31 }),
  of('several.tenants.example', 'CNAME', ['a.example', 'b.example']),
  of('dots.tenants.example', 'CNAME', ['a..example']),
  of(`${'x'.repeat(64)}.tenants.example`, 'A', ['192.0.2.1']),
  of('a..tenants.example', 'A', ['192.0.2.1']),
  of('manual.tenants.example', 'CNAME', ['x.example']),
];

const zones = ['tenants.example', 'sub.tenants.example', 'hidden.tenants.example', 'apex.example'];
const grants = [
  ...['tenants.example', 'sub.tenants.example', 'apex.example'].map((zone) => {
    return { actions: needed, zone_name: zone };
  }),
];

const held = {
  'tenants.example': [
    '*.wild A 192.0.2.5',
    '@ A 192.0.2.3',
    'a-own TXT',
    'a-own.*.wild TXT',
    'a-own.both TXT',
    'a-own.longest TXT',
    'a-own.upper TXT',
    'a-own.www TXT',
    'a-own.zero TXT',
    'aaaa-own.www TXT',
    'alias CNAME www.tenants.example.',
    'both A 192.0.2.9',
    'cname-own.alias TXT',
    'longest A 192.0.2.6',
    'manual A 192.0.2.99',
    'text TXT "v=spf1 -all"',
    'txt-own.text TXT',
    'upper A 192.0.2.4',
    'www A 192.0.2.1',
    'www A 192.0.2.2',
    'www AAAA 2001:db8::1',
    'zero A 192.0.2.6',
  ],
  'sub.tenants.example': ['@ A 192.0.2.8', 'a-own TXT', 'a-own.deep TXT', 'deep A 192.0.2.7'],
} as const;

async function expectHeld(bench: ControllerBench): Promise<void> {
  for (const [zone, lines] of Object.entries(held)) {
    expect(await bench.held(zone)).toEqual([...lines].sort());
  }
  expect(await bench.held('hidden.tenants.example')).toEqual([]);
  expect(await bench.held('apex.example')).toEqual([]);
}

const suite = needsPeers('external-dns', 'external-dns-source');

suite('the real controller', () => {
  it('case 120: lives with --source=fake, whose endpoints have set identifiers', async () => {
    const bench = await opened(['example.com']);
    const manual = { zone_name: 'example.com', name: 'www', type: 'A', value: '192.0.2.1' };
    await bench.local('POST', '/records', manual);
    expectEnd(await bench.run('--source=fake'));
    expect(await bench.held('example.com')).toEqual(['www A 192.0.2.1']);
    const reasons = (await bench.problems()).map((one) => one.reason);
    expect(reasons).toEqual(Array.from({ length: 10 }, () => 'set_identifier'));
  });

  it('case 120: lives with tenants of every kind, and does what can be done', async () => {
    const bench = await opened(zones, grants);
    const manual = { zone_name: 'tenants.example', name: 'manual', type: 'A', value: '192.0.2.99' };
    await bench.local('POST', '/records', manual);
    expectEnd(await bench.sync([...hostile, ...wishes], ...allTypes, dotted));
    await expectHeld(bench);
    // Each of them is listed, whether the controller sorts it out itself or not.
    const listed = (await bench.problems()).map((one) => `${one.name} ${one.type} ${one.reason}`);
    for (const line of [
      'www.foreign.test A zone',
      'www.hidden.tenants.example A zone',
      'apex.example CNAME value',
      'mail.tenants.example MX type',
      'cut.tenants.example NS type',
      'weighted.tenants.example A set_identifier',
      'late.tenants.example A ttl',
      'several.tenants.example CNAME targets',
      'dots.tenants.example CNAME value',
      'a..tenants.example A name',
    ]) {
      expect(listed).toContain(line);
    }
    const serials = () => Promise.all(zones.map((zone) => bench.serial(zone)));
    const before = await serials();
    expectEnd(await bench.sync([...wishes, ...hostile], ...allTypes, dotted));
    expect(await serials()).toEqual(before);
    // Another controller, with wishes of its own for names that are taken.
    const stranger = wishes.map((wish) => ({ ...wish, targets: ['192.0.2.200'], recordType: 'A' }));
    const its = await bench.sync(
      [...stranger, ...hostile],
      ...allTypes,
      dotted,
      '--txt-owner-id=it',
    );
    expectEnd(its);
    await expectHeld(bench);
    // What nobody asks for any more would be most of the zone, which is held until an operator lets it through.
    expectEnd(await bench.sync(hostile, ...allTypes, dotted));
    expect(await bench.held('tenants.example')).toEqual([...held['tenants.example']].sort());
    await letThrough(bench, 'tenants.example');
    // It goes, and leaves what was made by hand; the controller does not know its own TXT endpoints again (its names
    // of ownership are for other types).
    expectEnd(await bench.sync(hostile, ...allTypes, dotted));
    expect(await bench.held('tenants.example')).toEqual([
      'manual A 192.0.2.99',
      'text TXT "v=spf1 -all"',
      'txt-own.text TXT',
    ]);
    expect(await bench.held('sub.tenants.example')).toEqual([]);
  });

  it('case 120: each hostile wish alone leaves the others what they ask for', async () => {
    const bench = await opened(zones, grants);
    const manual = { zone_name: 'tenants.example', name: 'manual', type: 'A', value: '192.0.2.99' };
    await bench.local('POST', '/records', manual);
    const one = of('www.tenants.example', 'A', ['192.0.2.1']);
    const each = isLong ? hostile : hostile.slice(3, 6);
    for (const [index, wish] of each.entries()) {
      const mine = { ...one, targets: [`192.0.2.${index + 1}`] };
      expectEnd(await bench.sync([wish, mine], ...allTypes, dotted));
      expect(await bench.held('tenants.example')).toEqual(
        [`www A 192.0.2.${index + 1}`, 'a-own.www TXT', 'manual A 192.0.2.99'].sort(),
      );
    }
  });

  it('case 120: by default, the ownership of an apex lies in no zone, and only the apex waits', async () => {
    const bench = await opened(['ext.example']);
    const apex = of('ext.example', 'A', ['192.0.2.1']);
    for (let round = 1; round < 4; round++) {
      const www = of('www.ext.example', 'A', [`192.0.2.${round}`]);
      expectEnd(await bench.sync([apex, www]));
      expect(await bench.held('ext.example')).toEqual(['a-www TXT', `www A 192.0.2.${round}`]);
    }
    const problems = (await bench.problems()).map(({ name, reason: why }) => `${name} ${why}`);
    expect(problems).toEqual(['a-ext.example zone', 'ext.example partner']);
    expectEnd(await bench.sync([apex], '--txt-prefix=%{record_type}-own.'));
    expect(await bench.held('ext.example')).toEqual(
      ['@ A 192.0.2.1', 'a-own TXT', 'a-www TXT', 'www A 192.0.2.3'].sort(),
    );
  });

  it('case 121: makes, keeps, changes and deletes many endpoints, and others are answered', async () => {
    const count = isLong ? 20_000 : 600;
    const bench = await opened(['many.example', 'other.example']);
    const many = Array.from({ length: count }, (_, index) => {
      return of(`h${index}.many.example`, 'A', [`10.0.${index >> 8}.${index & 255}`]);
    });
    let isDone = false;
    let created = 0;
    const meanwhile = async () => {
      while (!isDone) {
        expect((await bench.service.call('GET', '/health')).status).toBe(200);
        const record = { zone_name: 'other.example', name: `m${created++}`, type: 'A' };
        await bench.local('POST', '/records', { ...record, value: '192.0.2.1' });
      }
    };
    const others = meanwhile();
    try {
      await untilSynced(() => bench.sync(many, dotted));
    } finally {
      isDone = true;
      await others;
    }
    expect(await bench.held('many.example')).toHaveLength(2 * count);
    expect(created).toBeGreaterThan(0);
    expect(await bench.held('other.example')).toHaveLength(created);
    const serial = await bench.serial('many.example');
    await untilSynced(() => bench.sync(many, dotted));
    expect(await bench.serial('many.example')).toBe(serial);
    const moved = many.map((each) => ({ ...each, targets: ['192.0.2.1'] }));
    await untilSynced(() => bench.sync(moved, dotted));
    expect(
      (await bench.held('many.example')).filter((line) => line.endsWith(' 192.0.2.1')),
    ).toHaveLength(count);
    // A source that has lost everything deletes nothing, in however many parts the changes are sent.
    const whole = await bench.held('many.example');
    const unchanged = await bench.serial('many.example');
    await untilSynced(() => bench.sync([], dotted));
    expect(await bench.held('many.example')).toEqual(whole);
    expect(await bench.serial('many.example')).toBe(unchanged);
    const reasons = (await bench.problems()).map(({ reason: why }) => why);
    expect(reasons).toEqual(whole.map(() => 'guarded'));
    await letThrough(bench, 'many.example');
    await untilSynced(() => bench.sync([], dotted));
    expect(await bench.held('many.example')).toEqual([]);
    expect(await bench.problems()).toEqual([]);
  });
});

/** What `/problems` tells an operator to do who means it. */
function letThrough(bench: ControllerBench, zone: string): Promise<unknown> {
  const guard = { max_deletes: 1_000_000, max_delete_percent: 100 };
  return bench.local('PUT', `/zones/${zone}`, { guard });
}

/**
 * A host that is busy with other things may need several syncs, each of 8 s at most: each goes on where the last one
 * ended. So many that only those are found which never end.
 */
async function untilSynced(sync: () => Promise<Run>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const run = await sync();
    if (run.code === 0 || attempt === 100) return expectEnd(run);
    expect(run.output).toContain('soft error');
  }
}
