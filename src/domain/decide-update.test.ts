/** The law of dynamic updates (RFC 2136 3.2 to 3.4; decisions 9). Numbers are those of spec/tests/cases.md. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOf, ownerOf, step, update } from '../../spec/support/dynamic-updates.ts';
import { createZone, Law } from '../../spec/support/memory-state.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { Action } from '../base/action.ts';
import { compileGrant, fullRights, noRights, Rights } from './access/rights.ts';
import type { UpdateOperation } from './dynamic-update.ts';
import type { ZoneEvent } from './event.ts';
import type { ZoneSettings } from './zone.ts';

const zone = 'example.com';
const twoServers = ['add @ 3600 NS ns1.example.com.', 'add @ 3600 NS ns2.example.com.'];

/** A law with the zone example.com, serial 1, filled by one update that makes it serial 2. */
function zoneWith(...records: string[]): Law {
  const law = new Law();
  law.zone(zone);
  const steps = records.map((record) => `add ${record}`);
  law.given(update(zone, [], [...twoServers, ...steps]));
  return law;
}

function lines(law: Law): string[] {
  return law.state.recordsOf(1).map(lineOf).sort();
}

/** Of the zone after an update, without the apex NS. */
function left(law: Law, ...steps: string[]): string[] {
  law.given(update(zone, [], steps));
  return lines(law).filter((line) => !line.startsWith('@ 3600 NS'));
}

function verdict(law: Law, ...prerequisites: string[]): string {
  const { event, outcome } = law.when(update(zone, prerequisites, ['add new 60 A 192.0.2.9']));
  expect(event !== undefined).toBe(outcome.rcode === 'NOERROR');
  return outcome.rcode;
}

const serial = (law: Law) => law.state.zoneByName(zone)!.serial;

describe('prerequisites (RFC 2136 3.2)', () => {
  const law = zoneWith(
    'www 300 A 192.0.2.1',
    'www 300 A 192.0.2.2',
    'www 300 TXT "Text"',
    'deep.down 300 A 192.0.2.3',
    '*.wild 300 A 192.0.2.4',
    'mail 300 MX 10 Mx.Example.COM.',
  );

  it('case 3: a name is in use when it has records; an empty non-terminal is not', () => {
    expect(verdict(law, 'yxdomain www')).toBe('NOERROR');
    expect(verdict(law, 'yxdomain @')).toBe('NOERROR');
    expect(verdict(law, 'yxdomain gone')).toBe('NXDOMAIN');
    expect(verdict(law, 'yxdomain down')).toBe('NXDOMAIN');
    expect(verdict(law, 'yxdomain a.wild')).toBe('NXDOMAIN');
    expect(verdict(law, 'yxdomain *.wild')).toBe('NOERROR');
  });

  it('case 4: an RRset exists', () => {
    expect(verdict(law, 'yxrrset www A')).toBe('NOERROR');
    expect(verdict(law, 'yxrrset @ SOA')).toBe('NOERROR');
    expect(verdict(law, 'yxrrset www AAAA')).toBe('NXRRSET');
    expect(verdict(law, 'yxrrset www SOA')).toBe('NXRRSET');
    expect(verdict(law, 'yxrrset a.wild A')).toBe('NXRRSET');
  });

  it('case 5: a name is not in use', () => {
    expect(verdict(law, 'nxdomain gone')).toBe('NOERROR');
    expect(verdict(law, 'nxdomain down')).toBe('NOERROR');
    expect(verdict(law, 'nxdomain www')).toBe('YXDOMAIN');
    expect(verdict(law, 'nxdomain @')).toBe('YXDOMAIN');
  });

  it('case 6: an RRset does not exist', () => {
    expect(verdict(law, 'nxrrset www AAAA')).toBe('NOERROR');
    expect(verdict(law, 'nxrrset gone A')).toBe('NOERROR');
    expect(verdict(law, 'nxrrset www A')).toBe('YXRRSET');
    expect(verdict(law, 'nxrrset @ SOA')).toBe('YXRRSET');
  });

  it('case 7: an RRset is exactly this set, TTL and order ignored', () => {
    expect(verdict(law, 'yxrrset www A 192.0.2.2 | 192.0.2.1')).toBe('NOERROR');
    expect(verdict(law, 'yxrrset www A 192.0.2.2 | 192.0.2.1 | 192.0.2.2')).toBe('NOERROR');
    for (const other of [
      'yxrrset www A 192.0.2.1',
      'yxrrset www A 192.0.2.1 | 192.0.2.2 | 192.0.2.3',
      'yxrrset www A 192.0.2.1 | 192.0.2.3',
      'yxrrset www TXT "text"',
      'yxrrset gone A 192.0.2.1',
      'yxrrset a.wild A 192.0.2.4',
    ]) {
      expect(verdict(law, other), other).toBe('NXRRSET');
    }
    expect(verdict(law, 'yxrrset *.wild A 192.0.2.4')).toBe('NOERROR');
  });

  it('case 12: names in RDATA and owners ignore case', () => {
    expect(verdict(law, 'yxrrset MAIL MX 10 mX.example.com.')).toBe('NOERROR');
  });

  it('an SOA as it is now', () => {
    const soa = (number: number) =>
      `yxrrset @ SOA ns1.example.net. hostmaster.example.net. ${number} 300 60 3600000 86400`;
    expect(verdict(law, soa(2))).toBe('NOERROR');
    expect(verdict(law, soa(1))).toBe('NXRRSET');
  });

  it('the first that does not hold answers, and nothing is done', () => {
    expect(verdict(law, 'yxdomain www', 'nxrrset www A', 'yxdomain gone')).toBe('YXRRSET');
  });

  it('case 102: whole RRsets are judged last, wherever they stand', () => {
    const other = 'yxrrset www A 192.0.2.1';
    expect(verdict(law, other, 'nxdomain www')).toBe('YXDOMAIN');
    expect(verdict(law, 'yxdomain www', other, 'yxdomain gone')).toBe('NXDOMAIN');
    expect(verdict(law, other, 'yxdomain www')).toBe('NXRRSET');
  });

  it('a fault of the message is answered when all before it hold', () => {
    const faulty = (fault: 'FORMERR' | 'NOTZONE', ...lines: string[]) => {
      const steps = ['add new 60 A 192.0.2.9'];
      const { event, outcome } = law.when({ ...update(zone, lines, steps), messageError: fault });
      expect(event).toBeUndefined();
      return outcome.rcode;
    };
    expect(faulty('FORMERR', 'yxdomain www')).toBe('FORMERR');
    expect(faulty('NOTZONE')).toBe('NOTZONE');
    expect(faulty('FORMERR', 'yxdomain gone')).toBe('NXDOMAIN');
    expect(faulty('NOTZONE', 'yxrrset www A 192.0.2.1')).toBe('NXRRSET');
  });
});

describe('updates (RFC 2136 3.4.2)', () => {
  it('case 10: records count in the order of the message', () => {
    const law = zoneWith('www 300 A 192.0.2.1');
    expect(left(law, 'delete www', 'add www 300 A 192.0.2.2')).toEqual(['www 300 A 192.0.2.2']);
    expect(left(law, 'add www 300 A 192.0.2.3', 'delete www A')).toEqual([]);
  });

  it('case 11: what is there is not added twice; a new TTL is the RRset’s', () => {
    const law = zoneWith('www 300 A 192.0.2.1', 'www 300 A 192.0.2.2', 'www 300 TXT "x"');
    expect(left(law, 'add www 600 A 192.0.2.1')).toEqual([
      'www 300 TXT "x"',
      'www 600 A 192.0.2.1',
      'www 600 A 192.0.2.2',
    ]);
    expect(left(law, 'add www 60 A 192.0.2.3')).toContain('www 60 A 192.0.2.1');
  });

  it('case 12: case makes no other record', () => {
    const law = zoneWith('mail 300 MX 10 mx.example.com.');
    expect(
      law.when(update(zone, [], ['add MAIL 300 MX 10 MX.Example.Com.'])).event,
    ).toBeUndefined();
    expect(left(law, 'delete Mail MX 10 mX.example.com.')).toEqual([]);
  });

  it('case 13: CNAME and data never join, whoever is second', () => {
    const law = zoneWith('www 300 A 192.0.2.1', 'alias 300 CNAME www.example.com.');
    const before = lines(law);
    left(law, 'add www 300 CNAME other.example.com.', 'add alias 300 A 192.0.2.1');
    left(law, 'add @ 300 CNAME other.example.com.', 'add alias 300 DNAME other.example.com.');
    expect(lines(law)).toEqual(before);
    expect(serial(law)).toBe(2);
  });

  it('case 13: CNAME replaces CNAME, and DNAME DNAME; the last of several stays', () => {
    const law = zoneWith('alias 300 CNAME a.example.com.', 'tree 300 DNAME a.example.com.');
    expect(
      left(
        law,
        'add alias 60 CNAME b.example.com.',
        'add alias 90 CNAME c.example.com.',
        'add tree 60 DNAME b.example.com.',
      ),
    ).toEqual(['alias 90 CNAME c.example.com.', 'tree 60 DNAME b.example.com.']);
  });

  it('case 15: SOA and NS of the apex outlive everything', () => {
    const law = zoneWith('@ 300 TXT "x"');
    expect(left(law, 'delete @', 'delete @ NS', 'delete @ SOA')).toEqual([]);
    expect(lines(law)).toHaveLength(2);
    const soa = 'ns1.example.net. hostmaster.example.net. 3 300 60 3600000 86400';
    expect(law.when(update(zone, [], [`delete @ SOA ${soa}`])).event).toBeUndefined();
  });

  it('case 15: the last NS stays; a new one before the old is deleted lets the old go', () => {
    const law = zoneWith();
    const old = ['delete @ NS ns1.example.com.', 'delete @ NS ns2.example.com.'];
    law.given(update(zone, [], old));
    expect(lines(law)).toEqual(['@ 3600 NS ns2.example.com.']);
    law.given(update(zone, [], ['add @ 3600 NS ns3.example.com.', ...old]));
    expect(lines(law)).toEqual(['@ 3600 NS ns3.example.com.']);
    law.given(update(zone, [], ['delete @ NS', 'add @ 3600 NS ns4.example.com.']));
    expect(lines(law)).toEqual(['@ 3600 NS ns3.example.com.', '@ 3600 NS ns4.example.com.']);
  });

  it('case 17: delegations come above data and go again', () => {
    const law = zoneWith('a.sub 300 A 192.0.2.1');
    expect(left(law, 'add sub 300 NS ns.sub.example.com.', 'add ns.sub 300 A 192.0.2.2')).toEqual([
      'a.sub 300 A 192.0.2.1',
      'ns.sub 300 A 192.0.2.2',
      'sub 300 NS ns.sub.example.com.',
    ]);
    expect(left(law, 'delete sub NS ns.sub.example.com.', 'delete ns.sub')).toEqual([
      'a.sub 300 A 192.0.2.1',
    ]);
  });

  it('case 18: what ends as it was is no change', () => {
    const law = zoneWith('www 300 A 192.0.2.1', 'www 300 A 192.0.2.2');
    for (const steps of [
      [],
      ['add www 300 A 192.0.2.1'],
      ['delete gone', 'delete www TXT', 'delete www A 192.0.2.9'],
      ['delete www', 'add www 300 A 192.0.2.2', 'add www 300 A 192.0.2.1'],
      ['add www 600 A 192.0.2.1', 'add www 300 A 192.0.2.1'],
      ['add x 300 A 192.0.2.1', 'delete x'],
    ]) {
      const { event, outcome } = law.when(update(zone, [], steps));
      expect(event, steps.join()).toBeUndefined();
      expect(outcome).toMatchObject({ rcode: 'NOERROR', zone: { serial: 2 } });
    }
  });

  it('records that are taken out and put back keep their ids', () => {
    const law = zoneWith('www 300 A 192.0.2.1');
    const { id } = law.state.recordsAt(1, ownerOf('www'))[0]!;
    law.given(update(zone, [], ['delete www', 'add www 60 A 192.0.2.1', 'add www 60 A 192.0.2.2']));
    const stored = law.state.recordsAt(1, ownerOf('www'));
    expect(stored.map((one) => `#${one.id} ${lineOf(one)}`)).toEqual([
      `#${id} www 60 A 192.0.2.1`,
      `#${id + 1} www 60 A 192.0.2.2`,
    ]);
  });

  it('one event, one step of the serial (case 22)', () => {
    const law = zoneWith('www 300 A 192.0.2.1');
    const { event, outcome } = law.when(
      update(zone, ['yxdomain www'], ['delete www', 'add a 60 A 192.0.2.1', 'add b 60 TXT "b"']),
    );
    const { kind, before, after: settings, delta } = event as ZoneEvent;
    expect(kind).toBe('records.changed');
    expect(settings).toEqual({ ...before, serial: 3 });
    expect(delta.removed.map(lineOf)).toEqual(['www 300 A 192.0.2.1']);
    expect(delta.added.map(lineOf)).toEqual(['a 60 A 192.0.2.1', 'b 60 TXT "b"']);
    expect(outcome.zone).toMatchObject({ serial: 3, recordCount: 4 });
  });
});

describe('DS (case 103)', () => {
  const ds = (owner: string, ttl = 60) => `${owner} ${ttl} DS 1 13 2 ${'00'.repeat(32)}`;
  const servers = ['sub 60 NS ns1.example.net.', 'sub 60 NS ns2.example.net.'];
  const text = ds('sub');

  it('at the apex, or where there is no delegation in the end, is passed over', () => {
    const law = zoneWith('www 60 A 192.0.2.1', ...servers);
    for (const owner of ['@', 'www', 'gone']) {
      expect(law.when(update(zone, [], [`add ${ds(owner)}`])).event, owner).toBeUndefined();
    }
    const after = left(law, `add ${ds('later')}`, 'add later 60 NS ns1.example.net.');
    expect(after).toContain(ds('later'));
    expect(left(law, 'delete sub NS', `add ${text}`)).not.toContain(text);
  });

  it.each([
    ['delete sub NS'],
    ['delete sub NS ns1.example.net.', 'delete sub NS ns2.example.net.'],
    ['delete sub NS', 'add sub 60 A 192.0.2.1'],
    ['delete sub NS', `add ${ds('sub', 90)}`],
  ])('goes with the last NS: %s', (...steps) => {
    const law = zoneWith(...servers, ds('sub'));
    const after = left(law, ...steps);
    expect(after).toEqual(steps.includes('add sub 60 A 192.0.2.1') ? ['sub 60 A 192.0.2.1'] : []);
    expect(serial(law)).toBe(3);
  });

  it('stays while any NS does, and when others take their place', () => {
    const law = zoneWith(...servers, ds('sub'));
    expect(left(law, 'delete sub NS ns1.example.net.')).toContain(text);
    expect(left(law, 'delete sub NS', 'add sub 60 NS ns3.example.net.')).toEqual([
      text,
      'sub 60 NS ns3.example.net.',
    ]);
  });
});

describe('an SOA (case 14)', () => {
  const soa = (number: number, numbers = '1200 300 604800 600') =>
    `add @ 77 SOA ns9.example.org. who.ever.example.org. ${number} ${numbers}`;
  const settings = (law: Law, ...steps: string[]): ZoneSettings =>
    (law.when(update(zone, [], steps)).event as ZoneEvent).after!;

  it('with a newer serial is the step, and its fields are the zone’s', () => {
    const law = zoneWith();
    const { event } = law.when(update(zone, [], [soa(10)]));
    const { kind, before, after: then } = event as ZoneEvent;
    expect(kind).toBe('zone.updated');
    expect(then).toEqual({
      ...before,
      serial: 10,
      mname: 'ns9.example.org',
      rname: 'who@ever.example.org',
      refresh: 1200,
      retry: 300,
      expire: 604_800,
      minimumTtl: 600,
    });
  });

  it('counts together with records, and the newest of several counts', () => {
    const law = zoneWith();
    expect(settings(law, soa(7), 'add www 60 A 192.0.2.1')).toMatchObject({ serial: 7 });
    expect(settings(law, soa(9), soa(8, '5 5 5 5'))).toMatchObject({ serial: 9, refresh: 1200 });
    expect(settings(law, soa(8), soa(9, '5 5 5 5'))).toMatchObject({ serial: 9, refresh: 5 });
  });

  it('with a serial that is not newer is passed over, and so is one elsewhere', () => {
    const law = zoneWith();
    for (const number of [0, 1, 2, 2_147_483_650, 4_294_967_295]) {
      expect(law.when(update(zone, [], [soa(number, '9 9 9 9')])).event).toBeUndefined();
    }
    expect(law.when(update(zone, [], [soa(10).replace('@', 'www')])).event).toBeUndefined();
    expect(settings(law, soa(2), 'add www 60 A 192.0.2.1')).toMatchObject({
      serial: 3,
      refresh: 300,
    });
  });

  it('with values we can not have is refused', () => {
    const law = new Law();
    law.given(createZone(zone, { apexNs: false, serial: 2_137_000_000 }));
    expect(law.refusal(update(zone, [], [soa(2_147_483_648)]))).toMatch(
      /^INVALID_ZONE_FIELD serial/,
    );
    const greatest = 2_137_483_647;
    expect(law.refusal(update(zone, [], [soa(2_147_483_647)]))).toMatch(
      /^INVALID_ZONE_FIELD serial/,
    );
    expect(law.refusal(update(zone, [], [soa(greatest + 1)]))).toMatch(
      /^INVALID_ZONE_FIELD serial/,
    );
    expect(law.refusal(update(zone, [], [soa(greatest, '0 1 1 1')]))).toMatch(/refresh/);
    expect(law.refusal(update(zone, [], [soa(greatest, '1 1 1 4294967295')]))).toMatch(
      /minimum_ttl/,
    );
    expect(settings(law, soa(greatest)).serial).toBe(greatest);
  });

  it('at the end of serials nothing moves any more', () => {
    const law = new Law();
    const { id } = law.given(createZone(zone, { apexNs: false })).zone;
    law.state.zones.set(id, { ...law.state.zones.get(id)!, serial: 2_146_483_647 });
    expect(law.refusal(update(zone, [], ['add www 60 A 192.0.2.1']))).toMatch(/^ZONE_CONFLICT/);
    expect(law.when(update(zone, [], ['delete www'])).event).toBeUndefined();
  });
});

describe('refusals', () => {
  it('case 16: what the signer makes, and what is no record', () => {
    const law = zoneWith();
    const nsec = 'add www 60 NSEC a.example.com. A';
    expect(law.refusal(update(zone, [], [nsec]))).toMatch(/^INVALID_RECORD_VALUE type: NSEC/);
    for (const type of ['RRSIG', 'NSEC', 'DNSKEY', 'NSEC3', 'NSEC3PARAM', 'CDS', 'CDNSKEY']) {
      expect(law.refusal(update(zone, [], [`delete www ${type}`]))).toMatch(
        /^INVALID_RECORD_VALUE/,
      );
    }
    expect(law.refusal(update(zone, [], ['add *.x 60 NS ns.example.com.']))).toMatch(/wildcard/);
    expect(law.refusal(update(zone, [], ['add m 60 MX 0 .', 'add m 60 MX 1 a.']))).toMatch(
      /null MX/,
    );
  });

  it('a zone that is gone, disabled or out of reach', () => {
    const law = zoneWith();
    expect(law.refusal(update('example.org', [], []))).toMatch(/^ZONE_NOT_FOUND/);
    law.given({ kind: 'update-zone', zoneName: zone, enabled: false });
    expect(law.refusal(update(zone, [], []))).toMatch(/^ZONE_NOT_FOUND/);
    law.given({ kind: 'update-zone', zoneName: zone, enabled: true });
    law.rights = noRights;
    expect(law.refusal(update(zone, [], []))).toMatch(/^FORBIDDEN/);
  });
});

describe('rights (case 20)', () => {
  const grant = (actions: Action[], recordNamePattern = '*', recordTypes = '*') => ({
    id: 1,
    roleId: 1,
    zoneId: 1,
    actions,
    recordNamePattern,
    recordTypes,
    createdAt: 0,
  });
  function lawOf(...grants: ReturnType<typeof grant>[]): Law {
    const law = zoneWith('www 300 A 192.0.2.1', 'alias 300 CNAME a.example.com.');
    law.rights = new Rights(grants.map(compileGrant));
    return law;
  }
  const refused = (law: Law, prerequisites: string[], ...steps: string[]) =>
    law.refusal(update(zone, prerequisites, steps));

  it('create for additions, delete for deletions, read for prerequisites', () => {
    const creator = lawOf(grant(['record:create']));
    expect(refused(creator, [], 'add x 60 A 192.0.2.1', 'add www 60 A 192.0.2.1')).toBe(
      'not refused',
    );
    expect(refused(creator, [], 'delete x')).toMatch(
      /^FORBIDDEN action 'record:delete' is needed on x.example.com. \(all types\)/,
    );
    expect(refused(creator, [], 'delete www A')).toMatch(/record:delete' is needed on www.*A$/);
    expect(refused(creator, [], 'delete www A 192.0.2.9')).toMatch(/record:delete/);
    expect(refused(creator, ['yxdomain www'])).toMatch(/^FORBIDDEN action 'record:read'/);
    const deleter = lawOf(grant(['record:delete', 'record:read']));
    expect(refused(deleter, ['nxdomain x', 'yxrrset www A'], 'delete www')).toBe('not refused');
    expect(refused(deleter, [], 'delete www', 'add www 60 A 192.0.2.1')).toMatch(/record:create/);
  });

  it('a failing prerequisite tells nothing to who may not read', () => {
    expect(refused(lawOf(grant(['record:create'])), ['yxdomain gone'])).toMatch(/^FORBIDDEN/);
  });

  it('replacing a CNAME deletes one', () => {
    const replacing = 'add alias 60 CNAME b.example.com.';
    expect(refused(lawOf(grant(['record:create'])), [], replacing)).toMatch(/record:delete/);
    const both = lawOf(grant(['record:create', 'record:delete']));
    expect(refused(both, [], replacing)).toBe('not refused');
    const same = 'add alias 60 CNAME a.example.com.';
    expect(refused(lawOf(grant(['record:create'])), [], same)).toBe('not refused');
  });

  it('the last NS of a secure delegation needs the right to delete its DS', () => {
    const law = lawOf(grant(['record:delete'], '*', 'NS'));
    const { rights } = law;
    law.rights = fullRights;
    const digest = '00'.repeat(32);
    const delegation = ['add sub 60 NS ns.example.net.', `add sub 60 DS 1 13 2 ${digest}`];
    law.given(update(zone, [], [...delegation, 'add plain 60 NS ns.example.net.']));
    law.rights = rights;
    expect(refused(law, [], 'delete plain NS')).toBe('not refused');
    expect(refused(law, [], 'delete sub NS')).toMatch(/^FORBIDDEN.*record:delete.*sub.*DS/);
  });

  it('names and types narrow; all types need a grant of all types', () => {
    const law = lawOf(
      grant(['record:create', 'record:delete', 'record:read'], '*.dyn', 'A,AAAA'),
      grant(['record:delete'], 'old'),
    );
    expect(refused(law, [], 'add a.dyn 60 A 192.0.2.1', 'delete dyn AAAA')).toBe('not refused');
    expect(refused(law, [], 'add a.dyn 60 TXT "x"')).toMatch(/^FORBIDDEN.*TXT/);
    expect(refused(law, [], 'add a.dyn 60 A 192.0.2.1', 'add b 60 A 192.0.2.1')).toMatch(/ b\./);
    expect(refused(law, [], 'delete a.dyn')).toMatch(/all types/);
    expect(refused(law, ['yxdomain a.dyn'])).toMatch(/all types/);
    expect(refused(law, [], 'delete old')).toBe('not refused');
  });

  it('an SOA needs zone:update, and record:create at the apex, on all types or on its own', () => {
    const soa = 'add @ 60 SOA ns1.example.net. h.example.net. 9 1 1 1 1';
    const both: Action[] = ['record:create', 'zone:update'];
    expect(refused(lawOf(grant(both, '@')), [], soa)).toBe('not refused');
    expect(refused(lawOf(grant(['record:create'], '@')), [], soa)).toMatch(
      /^FORBIDDEN.*zone:update/,
    );
    expect(refused(lawOf(grant(['zone:update'], '@')), [], soa)).toMatch(/^FORBIDDEN.*SOA/);
    expect(refused(lawOf(grant(both, '@', 'A')), [], soa)).toMatch(/^FORBIDDEN.*SOA/);
    expect(refused(lawOf(grant(both, '@', 'A,SOA')), [], soa)).toBe('not refused');
    expect(refused(lawOf(grant(both, 'www')), [], soa)).toMatch(/^FORBIDDEN/);
  });
});

/** RFC 2136 3.4.2 in the plainest words, for records of two names and two types and CNAME. */
function plainly(records: readonly string[], { ...one }: UpdateOperation): string[] {
  const of = (name: string) => records.filter((line) => line.startsWith(`${name} `));
  const typeOf = (line: string) => line.split(' ')[2];
  if (one.kind !== 'add') {
    const text = one.kind === 'delete-record' ? lineOf({ ...one, ttl: 0 }).split(' ') : [];
    return records.filter((line) => {
      const [name, , type, ...data] = line.split(' ');
      if (ownerOf(name!) !== one.owner) return true;
      if (one.kind === 'delete-name') return false;
      if (one.kind === 'delete-rrset') return ownType(one.type) !== type;
      return text[2] !== type || text.slice(3).join(' ') !== data.join(' ');
    });
  }
  const line = lineOf(one.record);
  const [name, ttl, type, ...data] = line.split(' ');
  const here = of(name!);
  const clash = here.some((other) => (typeOf(other) === 'CNAME') !== (type === 'CNAME'));
  if (clash) return [...records];
  const kept = records.filter(
    (other) => !(type === 'CNAME' && other.startsWith(`${name} `)) && other !== line,
  );
  const moved = kept.map((other) => {
    const words = other.split(' ');
    return words[0] === name && words[2] === type
      ? [name, ttl, ...words.slice(2)].join(' ')
      : other;
  });
  return [...new Set([...moved, [name, ttl, type, ...data].join(' ')])];
}

const ownType = (type: number) => ({ 1: 'A', 5: 'CNAME', 16: 'TXT' })[type];

it('any sequence of steps ends where the RFC says, and in no event when that is where it began', () => {
  const name = fc.constantFrom('a', 'b.a');
  const ttl = fc.constantFrom(60, 300);
  const data = fc.constantFrom('A 192.0.2.1', 'A 192.0.2.2', 'TXT "x"', 'CNAME a.', 'CNAME b.');
  const type = fc.constantFrom('A', 'TXT', 'CNAME');
  const anyStep = fc.oneof(
    fc.tuple(name, ttl, data).map(([owner, seconds, rest]) => `add ${owner} ${seconds} ${rest}`),
    fc.tuple(name, data).map(([owner, rest]) => `delete ${owner} ${rest}`),
    fc.tuple(name, type).map(([owner, rest]) => `delete ${owner} ${rest}`),
    name.map((owner) => `delete ${owner}`),
  );
  const message = fc.array(anyStep, { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
      const law = new Law();
      law.zone(zone);
      let expected: string[] = [];
      for (const steps of messages) {
        const before = expected.toSorted();
        for (const one of steps) expected = plainly(expected, step(one));
        const serialBefore = serial(law);
        law.given(update(zone, [], steps));
        const now = law.state.recordsOf(1).map((record: ResourceRecord) => lineOf(record));
        expect(now.sort()).toEqual(expected.toSorted());
        const moves = before.join('\n') !== expected.toSorted().join('\n');
        expect(serial(law) - serialBefore).toBe(moves ? 1 : 0);
      }
    }),
    { numRuns: 300 },
  );
});
