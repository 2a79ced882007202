import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftOutReasons } from '../../src/telemetry/adapter-metrics.ts';
import { AdapterDesk } from '../support/adapter-desk.ts';
import { Controller, type WebhookEndpoint } from '../support/external-dns-controller.ts';

const needed = ['record:read', 'record:create', 'record:delete'];
const desk = new AdapterDesk();
let made = 0;

beforeAll(() => desk.open());
afterAll(() => desk.close());

/** A zone of its own, and an adapter that may manage it. */
async function tenant(limits: object = {}) {
  const zone = `t${++made}.example`;
  await desk.service.createZone(zone);
  const grants = [{ actions: needed, zone_name: zone, ...limits }];
  const token = await desk.service.tokenOf(`t${made}`, grants);
  const { webhook, probes } = await desk.adapter({ token });
  const controller = new Controller(webhook);
  const names = async () => {
    const path = `/records?zone_name=${zone}&limit=1000`;
    const { items } = await desk.service.call('GET', path, undefined, 200, 'local');
    return (items as { name: string; type: string }[])
      .filter(({ type }) => type !== 'NS')
      .map(({ name, type }) => `${name.replace(`.${zone}.`, '').replace(`${zone}.`, '@')} ${type}`)
      .sort();
  };
  const problems = async () => {
    const answer = await fetch(`${probes}/problems`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    return ((await answer.json()) as { problems: Record<string, unknown>[] }).problems;
  };
  const reasons = async () =>
    (await problems()).map(({ name, type, reason }) => `${name} ${type} ${reason}`).sort();
  return { zone, controller, probes, names, problems, reasons };
}

function endpoint(dnsName: string, recordType: string, ...targets: string[]): WebhookEndpoint {
  return { dnsName, recordType, targets };
}

/** The ownership record that the registry writes for an endpoint under a name. */
function own(dnsName: string, of: WebhookEndpoint, labels: object = { ownedRecord: of.dnsName }) {
  const target = '"heritage=external-dns,external-dns/owner=me"';
  return { ...endpoint(dnsName, 'TXT', target), labels } as WebhookEndpoint;
}

/** One of everything that can not be served, in the order of their reasons. */
function hostile(zone: string): readonly [WebhookEndpoint, string][] {
  return [
    [endpoint('', 'A', '192.0.2.1'), 'name'],
    [endpoint(`a..${zone}`, 'A', '192.0.2.1'), 'name'],
    [endpoint(`${'x'.repeat(64)}.${zone}`, 'A', '192.0.2.1'), 'name'],
    [endpoint(`mx.${zone}`, 'MX', '10 mail.example'), 'type'],
    [endpoint(`ns.${zone}`, 'NS', 'ns.example'), 'type'],
    [{ dnsName: `none.${zone}`, targets: ['x'] } as never, 'type'],
    [{ ...endpoint(`set.${zone}`, 'A', '192.0.2.1'), setIdentifier: 'blue' }, 'set_identifier'],
    [endpoint(`no.${zone}`, 'A'), 'targets'],
    [{ ...endpoint(`null.${zone}`, 'A'), targets: null as never }, 'targets'],
    [endpoint(`two.${zone}`, 'CNAME', 'a.example', 'b.example'), 'targets'],
    [{ ...endpoint(`late.${zone}`, 'A', '192.0.2.1'), recordTTL: 2 ** 31 }, 'ttl'],
    [{ ...endpoint(`neg.${zone}`, 'A', '192.0.2.1'), recordTTL: -1 }, 'ttl'],
    [{ ...endpoint(`half.${zone}`, 'A', '192.0.2.1'), recordTTL: 0.5 }, 'ttl'],
    [endpoint(`bad.${zone}`, 'A', '192.0.2.256'), 'value'],
    [endpoint(`some.${zone}`, 'AAAA', '2001:db8::1', 'nonsense'), 'value'],
    [endpoint(`dots.${zone}`, 'CNAME', 'a..b'), 'value'],
    [endpoint(zone, 'CNAME', 'elsewhere.example'), 'value'],
    [endpoint(`big.${zone}`, 'TXT', ...texts(300)), 'value'],
    [endpoint('www.nobody.test', 'A', '192.0.2.1'), 'zone'],
    [endpoint('example', 'A', '192.0.2.1'), 'zone'],
  ];
}

/** Too much for one answer. */
function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `"${index}${'x'.repeat(250)}"`);
}

const good = (zone: string) => [
  endpoint(`www.${zone}`, 'A', '192.0.2.1'),
  endpoint(zone, 'A', '192.0.2.2'),
  { ...endpoint(`WWW2.${zone.toUpperCase()}.`, 'AAAA', '2001:db8::1'), recordTTL: 0 },
  { ...endpoint(`*.apps.${zone}`, 'CNAME', `www.${zone}`), recordTTL: 2 ** 31 - 1 },
  endpoint(`txt.${zone}`, 'TXT', 'any words'),
];
const goodNames = ['*.apps CNAME', '@ A', 'txt TXT', 'www A', 'www2 AAAA'];

describe('case 120: what can not be served is left out', () => {
  it('of an adjustment: the answer has the rest, in its order', async () => {
    const { zone, controller, problems, reasons } = await tenant();
    const bad = hostile(zone).map(([each]) => each);
    const mixed = good(zone).flatMap((each, index) => [
      each,
      ...bad.slice(5 * index, 5 * index + 5),
    ]);
    const answer = await controller.adjust(mixed);
    expect(answer.map(({ dnsName, recordType }) => `${dnsName} ${recordType}`)).toEqual([
      `www.${zone} A`,
      `${zone} A`,
      `www2.${zone} AAAA`,
      `*.apps.${zone} CNAME`,
      `txt.${zone} TXT`,
    ]);
    expect((await reasons()).map((line) => line.split(' ').at(-1)).sort()).toEqual(
      hostile(zone)
        .map(([, reason]) => reason)
        .sort(),
    );
    expect((await problems()).find(({ name }) => name === `mx.${zone}`)).toEqual({
      call: 'adjustendpoints',
      list: null,
      name: `mx.${zone}`,
      type: 'MX',
      targets: ['10 mail.example'],
      reason: 'type',
      message: "recordType 'MX' is not one of A, AAAA, CNAME, TXT",
      since: expect.stringMatching(/Z$/),
    });
    expect(await controller.adjust(good(zone))).toHaveLength(5);
    expect(await problems()).toEqual([]);
  });

  it('of changes, each beside what can be applied', async () => {
    const { zone, controller, names, reasons } = await tenant();
    for (const [bad, reason] of hostile(zone)) {
      await controller.apply({ create: [bad, ...good(zone)] });
      expect(await names()).toEqual(goodNames);
      expect((await reasons()).map((line) => line.split(' ').at(-1))).toEqual([reason]);
      await controller.apply({ delete: [...good(zone), bad] });
      expect(await names()).toEqual([]);
    }
  });

  it('of changes, all at once, in one transaction', async () => {
    const { zone, controller, names, reasons } = await tenant();
    const bad = hostile(zone).map(([each]) => each);
    const before = desk.service.events();
    // What is no endpoint at all has no name and no type: the three are one.
    const nothing = [{}, null, 'not an endpoint'] as never[];
    await controller.apply({ create: [...nothing, ...bad, ...good(zone)] });
    expect(await names()).toEqual(goodNames);
    expect(await reasons()).toHaveLength(bad.length + 1);
    expect(desk.service.events()).toBe(before + 1);
    const [www] = good(zone);
    const to = endpoint(`www.${zone}`, 'A', 'nonsense');
    await controller.apply({ updateOld: [www!], updateNew: [to], delete: good(zone).slice(1) });
    // Neither half of an update is done without the other.
    expect(await names()).toEqual(['www A']);
    expect(await reasons()).toEqual([`www.${zone} A value`]);
  });

  it('of changes: what the token may not write', async () => {
    const { zone, controller, names, reasons } = await tenant({ record_types: 'A,TXT' });
    const [a, aaaa] = [
      endpoint(`www.${zone}`, 'A', '192.0.2.1'),
      endpoint(`www.${zone}`, 'AAAA', '2001:db8::1'),
    ];
    const notes = [own(`a-www.${zone}`, a), own(`aaaa-www.${zone}`, aaaa)];
    await controller.apply({ create: [aaaa, a, ...notes] });
    expect(await names()).toEqual(['a-www TXT', 'www A']);
    expect(await reasons()).toEqual([`aaaa-www.${zone} TXT partner`, `www.${zone} AAAA forbidden`]);
  });

  it('of changes: what stands in the way of others', async () => {
    const { zone, controller, names, reasons } = await tenant();
    const manual = { zone_name: zone, name: 'taken', type: 'A', value: '192.0.2.99' };
    await desk.service.call('POST', '/records', manual, 201, 'local');
    const cname = endpoint(`taken.${zone}`, 'CNAME', 'x.example');
    const [both, other] = [
      endpoint(`both.${zone}`, 'A', '192.0.2.1'),
      endpoint(`both.${zone}`, 'CNAME', 'x.example'),
    ];
    const fine = endpoint(`fine.${zone}`, 'A', '192.0.2.1');
    await controller.apply({
      create: [cname, own(`cname-taken.${zone}`, cname), both, other, fine],
    });
    expect(await names()).toEqual(['both A', 'fine A', 'taken A']);
    expect(await reasons()).toEqual([
      `both.${zone} CNAME conflict`,
      `cname-taken.${zone} TXT partner`,
      `taken.${zone} CNAME conflict`,
    ]);
  });

  it('of changes: a creation whose name somebody else has with other targets', async () => {
    const { zone, controller, names, reasons } = await tenant();
    const theirs = endpoint(`www.${zone}`, 'A', '192.0.2.1');
    const note = own(`a-www.${zone}`, theirs);
    await controller.apply({ create: [theirs, note] });
    const ours = endpoint(`www.${zone}`, 'A', '192.0.2.1', '192.0.2.2');
    const fine = endpoint(`fine.${zone}`, 'A', '192.0.2.3');
    await controller.apply({ create: [ours, own(`own.www.${zone}`, ours), fine] });
    expect(await names()).toEqual(['a-www TXT', 'fine A', 'www A']);
    expect(await reasons()).toEqual([`own.www.${zone} TXT partner`, `www.${zone} A conflict`]);
    // The same targets are no conflict: a call whose answer was lost comes again.
    await controller.apply({ create: [theirs, note] });
    expect(await reasons()).toEqual([]);
    // Nor is what takes the place of what goes.
    await controller.apply({ delete: [theirs, note], create: [ours] });
    expect(await reasons()).toEqual([]);
    const { items } = await desk.service.call(
      'GET',
      `/records?zone_name=${zone}&name=www`,
      undefined,
      200,
      'local',
    );
    expect(items).toHaveLength(2);
  });
});

describe('a refusal that names nothing', () => {
  it('is narrowed down to the name that it is about', async () => {
    const { zone, controller, names, reasons } = await tenant();
    const create = Array.from({ length: 40 }, (_, index) => {
      return endpoint(`h${index}.${zone}`, 'A', '192.0.2.1');
    });
    const notes = create.map((each) => own(`a-own.${each.dnsName}`, each));
    const body = '{"error":"no","code":"INVALID_JSON_BODY"}';
    desk.fault = { kind: 'refuses', words: `"h7.${zone}"`, body };
    try {
      expect(await controller.adjust(create)).toHaveLength(39);
      expect(await reasons()).toEqual([`h7.${zone} A refused`]);
      await controller.apply({ create: [...create, ...notes] });
      expect(await names()).toHaveLength(78);
      expect(await reasons()).toEqual([
        `a-own.h7.${zone} TXT partner`,
        `h7.${zone} A refused`,
        `h7.${zone} A refused`,
      ]);
    } finally {
      desk.fault = undefined;
    }
  });
});

describe('ownership', () => {
  /** How the registry names the ownership of the A record of `www`, and whether it says whose it is. */
  const forms: readonly [string, string, string, boolean][] = [
    ['by default', 'a-www', 'aaaa-www', true],
    ['with a prefix', 'own-a-www', 'own-aaaa-www', true],
    ['with a dotted prefix and the type', 'a-own.www', 'aaaa-own.www', true],
    ['with a suffix', 'a-www-own', 'aaaa-www-own', true],
    ['with a suffix and the type', 'www-a', 'www-aaaa', true],
    ['by default, without a label', 'a-www', 'aaaa-www', false],
    ['with a prefix, without a label', 'own-a-www', 'own-aaaa-www', false],
    ['with a dotted prefix, without a label', 'a-own.www', 'aaaa-own.www', false],
    ['with a suffix, without a label', 'www-a', 'www-aaaa', false],
    ['with a type and a suffix, without a label', 'a-www-own', 'aaaa-www-own', false],
  ];

  it.each(forms)('is left out with its record, %s', async (_, ofA, ofAaaa, isLabelled) => {
    const { zone, controller, names } = await tenant();
    const a = endpoint(`www.${zone}`, 'A', '192.0.2.1');
    const bad = endpoint(`www.${zone}`, 'AAAA', 'nonsense');
    const label = (of: WebhookEndpoint) => (isLabelled ? { ownedRecord: of.dnsName } : {});
    const notes = [own(`${ofA}.${zone}`, a, label(a)), own(`${ofAaaa}.${zone}`, bad, label(bad))];
    await controller.apply({ create: [a, bad, ...notes] });
    expect(await names()).toEqual([`${ofA} TXT`, 'www A'].sort());
  });

  it('that lies in no zone takes its record along: an apex, with the names of the default', async () => {
    const { zone, controller, names, reasons } = await tenant();
    const apex = endpoint(zone, 'A', '192.0.2.1');
    const fine = endpoint(`fine.${zone}`, 'A', '192.0.2.1');
    const create = [apex, fine, own(`a-${zone}`, apex), own(`a-fine.${zone}`, fine)];
    await controller.apply({ create });
    expect(await names()).toEqual(['a-fine TXT', 'fine A']);
    expect(await reasons()).toEqual([`${zone} A partner`, `a-${zone} TXT zone`].sort());
    await controller.apply({ create: [apex, own(`a-own.${zone}`, apex)] });
    expect(await names()).toEqual(['@ A', 'a-fine TXT', 'a-own TXT', 'fine A']);
    expect(await reasons()).toEqual([]);
  });
});

describe('what is left out', () => {
  it('is logged when it is met first, counted each time, and listed until it is met no more', async () => {
    const { zone, controller, probes, reasons } = await tenant();
    const counts = async () => {
      const text = await (await fetch(`${probes}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith('svc_external_dns_skipped'));
      return lines.map((line) => /reason="(\w+)"\} (\d+)/.exec(line)!.slice(1, 3).join(' '));
    };
    expect(await counts()).toEqual(leftOutReasons.map((reason) => `${reason} 0`));
    const bad = endpoint(`mx.${zone}`, 'MX', 'mail');
    const taken = endpoint(`x.${zone}`, 'CNAME', 'y.example');
    const logged = () =>
      desk.lines
        .filter(
          ({ event, name }) => String(event).includes('left-out') && String(name).includes(zone),
        )
        .map(({ level, name, reason = null }) => [level, name, reason]);
    await controller.apply({ create: [endpoint(`x.${zone}`, 'A', '192.0.2.1')] });
    for (let round = 0; round < 3; round++) {
      await controller.adjust([bad, taken]);
      await controller.apply({ create: [taken] });
      expect(await reasons()).toEqual([`mx.${zone} MX type`, `x.${zone} CNAME conflict`]);
    }
    expect(logged().filter(([level]) => level === 'warn')).toEqual([
      ['warn', bad.dnsName, 'type'],
      ['warn', taken.dnsName, 'conflict'],
    ]);
    expect((await counts()).filter((line) => !line.endsWith(' 0'))).toEqual([
      'type 3',
      'conflict 3',
    ]);
    // Two adjustments without changes between them: nothing is missing.
    await controller.adjust([bad]);
    expect(await reasons()).toEqual([`mx.${zone} MX type`, `x.${zone} CNAME conflict`]);
    await controller.adjust([bad]);
    expect(await reasons()).toEqual([`mx.${zone} MX type`]);
    await controller.adjust([]);
    expect(await reasons()).toEqual([]);
    expect(logged().filter(([level]) => level === 'info')).toEqual([
      ['info', taken.dnsName, null],
      ['info', bad.dnsName, null],
    ]);
    expect((await fetch(`${probes}/problems`, { method: 'POST' })).status).toBe(405);
  });
});

describe('many changes', () => {
  it('come in parts of whole names, and those of one sync that is small in one', async () => {
    const { zone, controller, names } = await tenant();
    const create = Array.from({ length: 300 }, (_, index) => {
      return endpoint(`h${index}.${zone}`, 'A', '192.0.2.1');
    });
    const notes = create.map((each) => own(`a-own.${each.dnsName}`, each));
    const bad = endpoint(`h7.${zone}`, 'AAAA', 'nonsense');
    const before = desk.service.events();
    await controller.apply({ create: [...create, bad, ...notes, own(`aaaa-own.h7.${zone}`, bad)] });
    expect(desk.service.events()).toBe(before + 3);
    const stored = await names();
    expect(stored).toHaveLength(600);
    // h7, in the last part, has four, of which two are left out; a name is in one part with its ownership.
    const path = `/zones/${zone}/history?limit=10`;
    const { items } = await desk.service.call('GET', path, undefined, 200, 'local');
    const added = (items as { records_added: number }[]).map((each) => each.records_added);
    expect(added.slice(0, 3)).toEqual([100, 250, 250]);
    await controller.apply({ delete: [create[0]!, notes[0]!] });
    expect(await names()).toHaveLength(598);
    expect(desk.service.events()).toBe(before + 4);
  });
});
