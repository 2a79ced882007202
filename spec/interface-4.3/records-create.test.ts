import { describe, expect, it } from 'vitest';
import { input, RecordDesk } from '../support/record-desk.ts';

const desk = RecordDesk.open();
const { add, refuseAdd, rows } = desk;
let count = 0;

describe('creating a record', () => {
  it('shows the record and the diff, in one serial step', async () => {
    const body = {
      zone_name: `${desk.zone.toUpperCase()}.`,
      name: 'WWW',
      type: 'a',
      value: '192.0.2.1',
    };
    const answer = await desk.service.call('POST', '/records', body, 201);
    const { id } = answer.record;
    expect(answer).toEqual({
      applied: true,
      dry_run: false,
      warnings: [],
      diff: {
        entries: [
          {
            change: 'added',
            name: `www.${desk.zone}.`,
            type: 'A',
            from: [],
            to: [{ value: '192.0.2.1', ttl: 3600, priority: null }],
          },
        ],
        summary: { added: 1, changed: 0, removed: 0 },
      },
      record: {
        id,
        name: `www.${desk.zone}.`,
        type: 'A',
        value: '192.0.2.1',
        ttl: 3600,
        priority: null,
        zone_id: desk.zoneId,
        zone_name: desk.zone,
        actions: ['record:read', 'record:update', 'record:delete'],
      },
    });
    expect(id).toBeGreaterThan(0);
    expect((await desk.service.call('GET', `/records/${id}`)).record).toEqual(answer.record);
    expect(await desk.service.serialOf(desk.zone)).toBe(2);
    expect(desk.service.changes()).toMatchObject([
      { kind: 'changed', zone: { name: desk.zone, serial: 2 } },
    ]);
  });

  it('of two that are the same and come at once keeps exactly one (case 93)', async () => {
    const body = { zone_name: desk.zone, name: 'twice', type: 'A', value: '192.0.2.93' };
    const serial = await desk.service.serialOf(desk.zone);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => desk.service.fetch('POST', '/records', body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    for (const refused of answers.filter(({ status }) => status === 409)) {
      expect(await refused.json()).toMatchObject({ code: 'RECORD_CONFLICT' });
    }
    const { items } = await desk.service.call('GET', `/records?zone_name=${desk.zone}&name=twice`);
    expect(items).toHaveLength(1);
    expect(await desk.service.serialOf(desk.zone)).toBe(serial + 1);
  });

  it('takes owners relative, absolute and ending in the zone without a dot', async () => {
    for (const [name, shown] of [
      ['@', `${desk.zone}.`],
      ['a.b', `a.b.${desk.zone}.`],
      [`c.${desk.zone}.`, `c.${desk.zone}.`],
      [`d.${desk.zone}`, `d.${desk.zone}.`],
      [`${desk.zone}`, `${desk.zone}.`],
      ['*', `*.${desk.zone}.`],
      ['x*', `x*.${desk.zone}.`],
      ['*.e', `*.e.${desk.zone}.`],
      ['a\\.b', `a\\.b.${desk.zone}.`],
      ['\\000x', `\\000x.${desk.zone}.`],
    ] as const) {
      const record = await add(name, 'TXT', `of ${name}`);
      expect([name, record.name]).toEqual([name, shown]);
    }
    for (const name of [
      '',
      '.',
      'www.other.org.',
      'a..b',
      `${'a'.repeat(64)}`,
      `x${desk.zone}.`,
      '\\256',
      'a\\',
    ]) {
      await refuseAdd(name, 'A', '192.0.2.1', 'INVALID_RECORD_NAME');
    }
    const fill = `${'a'.repeat(63)}.`.repeat(4).slice(0, -1);
    await refuseAdd(fill, 'A', '192.0.2.1', 'INVALID_RECORD_NAME');
  });

  it('shows every storable type in its one form', async () => {
    for (const [type, value, shown] of [
      ['AAAA', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
      ['CAA', '0 issue "ca.example.net"', '0 issue "ca.example.net"'],
      ['DNAME', 'Target.Example.NET', 'target.example.net.'],
      ['HINFO', 'PC "Linux box"', '"PC" "Linux box"'],
      ['HTTPS', '1 . alpn=h2', undefined],
      ['LOC', '52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m', undefined],
      ['NAPTR', '100 10 "S" "SIP+D2U" "" _sip._udp.Example.NET.', undefined],
      ['PTR', 'Host.Example.NET', 'host.example.net.'],
      ['RP', 'admin.example.net. .', 'admin.example.net. .'],
      [
        'SSHFP',
        '1 1 dd465c09cfa51fb45020cc83316fff21b9ec74ac',
        '1 1 DD465C09CFA51FB45020CC83316FFF21B9EC74AC',
      ],
      [
        'TLSA',
        '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6',
        '3 1 1 0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B56664C5D3D6',
      ],
      ['URI', '10 1 "https://example.net/"', '10 1 "https://example.net/"'],
      ['EUI48', '00-00-5E-00-53-2a', undefined],
      ['KX', '10 kx.example.net.', '10 kx.example.net.'],
      ['AFSDB', '1 afs.example.net.', '1 afs.example.net.'],
      ['TYPE65280', '\\# 4 0a0b0c0d', '\\# 4 0A0B0C0D'],
    ] as const) {
      const record = await add(`t-${type.toLowerCase()}`, type, value);
      expect(record.type).toBe(type);
      if (shown !== undefined) expect([type, record.value]).toEqual([type, shown]);
      const back = await desk.service.call('PUT', `/records/${record.id}`, {
        value: record.value,
      });
      expect([type, back.diff.entries]).toEqual([type, []]);
    }
  });

  it('refuses types that are not stored and values that are none', async () => {
    for (const type of [
      'SOA',
      'RRSIG',
      'DNSKEY',
      'NSEC',
      'NSEC3',
      'NSEC3PARAM',
      'CDS',
      'CDNSKEY',
      'ZONEMD',
      'OPT',
      'TSIG',
      'TKEY',
      'ANY',
      'AXFR',
      'IXFR',
      'TYPE0',
      'TYPE6',
      'TYPE65535',
      'BOGUS',
      '',
    ]) {
      await refuseAdd('x', type, '\\# 0', 'INVALID_RECORD_VALUE', {}, 'type');
    }
    for (const [type, value] of [
      ['A', '192.0.2.256'],
      ['A', ''],
      ['A', '192.0.2.1 192.0.2.2'],
      ['AAAA', '192.0.2.1'],
      ['A', ['192.0.2.1']],
      ['MX', '10 mail.example.net.'],
      ['CAA', 'issue ca'],
      ['TYPE65280', 'text'],
      ['TYPE65280', '\\# 3 0a0b'],
    ] as const) {
      await refuseAdd('x', type, value, 'INVALID_RECORD_VALUE');
    }
    for (const ttl of [-1, 2_147_483_648]) {
      await refuseAdd('x', 'A', '192.0.2.1', 'INVALID_RECORD_VALUE', { ttl }, 'ttl');
    }
    expect((await add('x', 'A', '192.0.2.1', { ttl: 0 })).ttl).toBe(0);
    expect((await add('y', 'A', '192.0.2.1', { ttl: 2_147_483_647 })).ttl).toBe(2_147_483_647);
  });

  it('keeps the priority of MX and SRV beside the value, 10 when left out', async () => {
    expect(await add('@', 'MX', 'Mail.example.net')).toMatchObject({
      value: 'mail.example.net.',
      priority: 10,
    });
    expect(await add('@', 'MX', 'mail2.example.net', { priority: 0 })).toMatchObject({
      priority: 0,
    });
    const srv = await add('_sip._tcp', 'SRV', '5 5060 sip.example.net.', { priority: 65_535 });
    expect(srv).toMatchObject({ value: '5 5060 sip.example.net.', priority: 65_535 });
    await refuseAdd(
      'x',
      'MX',
      'm.example.net.',
      'INVALID_RECORD_VALUE',
      { priority: 65_536 },
      'priority:',
    );
    await refuseAdd(
      'x',
      'MX',
      'm.example.net.',
      'INVALID_RECORD_VALUE',
      { priority: -1 },
      'priority:',
    );
    await refuseAdd('x', 'A', '192.0.2.1', 'INVALID_RECORD_VALUE', { priority: 10 }, 'priority:');
    // The priority left out compares as 10.
    await refuseAdd('@', 'MX', 'mail.example.net', 'RECORD_CONFLICT', { priority: 10 });
  });

  it('takes TXT raw, quoted and as segments, and shows what parses back', async () => {
    for (const [value, shown] of [
      ['v=spf1 -all; "x"', 'v=spf1 -all; "x"'],
      ['"one segment"', 'one segment'],
      ['"foo" "" "bar"', ['foo', '', 'bar']],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      [['single'], 'single'],
      ['x'.repeat(300), ['x'.repeat(255), 'x'.repeat(45)]],
      ['ä'.repeat(200), ['ä'.repeat(127), 'ä'.repeat(73)]],
      [['"starts with a quote'], '"\\"starts with a quote"'],
      ['"\\255"', '"\\255"'],
    ] as const) {
      const record = await add(`txt${++count}`, 'TXT', value);
      expect(record.value).toEqual(shown);
      const again = await desk.service.call('PUT', `/records/${record.id}`, {
        value: record.value,
      });
      expect(again.diff.entries).toEqual([]);
    }
    await refuseAdd('t', 'TXT', [], 'INVALID_RECORD_VALUE');
    await refuseAdd('t', 'TXT', ['x'.repeat(256)], 'INVALID_RECORD_VALUE');
    await refuseAdd('t', 'TXT', '"open', 'INVALID_RECORD_VALUE');
  });

  it('refuses duplicates in any spelling, and another TTL than the RRset has', async () => {
    await add('www', 'AAAA', '2001:db8::1', { ttl: 300 });
    await refuseAdd(
      'WWW',
      'AAAA',
      '2001:DB8:0::1',
      'RECORD_CONFLICT',
      { ttl: 300 },
      `www.${desk.zone}.`,
    );
    await refuseAdd('www', 'AAAA', '2001:db8::2', 'RECORD_CONFLICT', { ttl: 301 }, 'TTL');
    await refuseAdd('www', 'AAAA', '2001:db8::2', 'RECORD_CONFLICT', {}, 'TTL');
    await add('www', 'AAAA', '2001:db8::2', { ttl: 300 });
    await add('www', 'A', '192.0.2.1');
    expect(await desk.service.serialOf(desk.zone)).toBe(4);
  });

  it('fixes the default TTL when the record is written', async () => {
    const record = await add('www', 'A', '192.0.2.1');
    await desk.service.call('PUT', `/zones/${desk.zone}`, { default_ttl: 60 });
    expect((await desk.service.call('GET', `/records/${record.id}`)).record.ttl).toBe(3600);
    await refuseAdd('www', 'A', '192.0.2.2', 'RECORD_CONFLICT');
  });

  it('guards CNAME, DNAME, DS and null MX', async () => {
    await refuseAdd('@', 'CNAME', 'x.example.', 'INVALID_RECORD_VALUE', {}, 'apex');
    await add('alias', 'CNAME', 'x.example.');
    await refuseAdd('alias', 'CNAME', 'y.example.', 'RECORD_CONFLICT');
    await refuseAdd('alias', 'A', '192.0.2.1', 'RECORD_CONFLICT');
    await add('host', 'A', '192.0.2.1');
    await refuseAdd('host', 'CNAME', 'x.example.', 'RECORD_CONFLICT');
    await add('tree', 'DNAME', 'x.example.');
    await refuseAdd('tree', 'DNAME', 'y.example.', 'RECORD_CONFLICT');
    await refuseAdd('tree', 'CNAME', 'y.example.', 'RECORD_CONFLICT');
    await refuseAdd('tree', 'NS', 'ns.example.', 'RECORD_CONFLICT');
    await refuseAdd('@', 'DNAME', 'x.example.', 'RECORD_CONFLICT', {}, 'below the DNAME');
    await refuseAdd('a.tree', 'A', '192.0.2.1', 'RECORD_CONFLICT', {}, 'below the DNAME');
    const digest = `12345 13 2 ${'AB'.repeat(32)}`;
    await refuseAdd('@', 'DS', digest, 'INVALID_RECORD_VALUE', {}, 'apex');
    await refuseAdd('child', 'DS', digest, 'RECORD_CONFLICT');
    const ns = await add('child', 'NS', 'ns.example.');
    await add('child', 'DS', digest);
    await desk.service.refused('DELETE', `/records/${ns.id}`, undefined, 'RECORD_CONFLICT');
    await desk.service.call('DELETE', `/records?zone_name=${desk.zone}&name=child`);
    await add('mail', 'MX', '.', { priority: 0 });
    await refuseAdd('mail', 'MX', 'm.example.', 'RECORD_CONFLICT');
  });

  it('names an unknown zone', async () => {
    const body = { zone_name: 'nowhere.example', ...input('www', 'A', '192.0.2.1') };
    await desk.service.refused('POST', '/records', body, 'ZONE_NOT_FOUND', "'nowhere.example'");
  });

  it('tells what a dry run would create, with id 0, and creates nothing', async () => {
    const events = desk.service.events();
    const body = {
      zone_name: desk.zone,
      ...input('www', 'A', '192.0.2.1'),
      dry_run: true,
    };
    const answer = await desk.service.call('POST', '/records', body, 200);
    expect(answer).toMatchObject({ applied: false, dry_run: true, record: { id: 0, ttl: 3600 } });
    expect(answer.diff.summary).toEqual({ added: 1, changed: 0, removed: 0 });
    expect([desk.service.events(), desk.service.changes()]).toEqual([events, []]);
    expect(await desk.service.serialOf(desk.zone)).toBe(1);
    expect(await rows('&name=www')).toEqual([]);
    await desk.service.refused('POST', '/records', { ...body, value: 'x' }, 'INVALID_RECORD_VALUE');
  });

  it('edits a disabled zone as well', async () => {
    await desk.service.call('PUT', `/zones/${desk.zone}`, { enabled: false });
    await add('www', 'A', '192.0.2.1');
  });
});
