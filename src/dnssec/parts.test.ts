/** Windows of signatures, bitmaps, canonical forms, authority: the small parts of signing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyName, keyFromLabels, parseAbsoluteName } from '../dns/name.ts';
import { parseRdataText } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import {
  canonicalRdata,
  canonicalRdatas,
  isFresh,
  refreshAt,
  signedLabels,
  timeNear,
  validityFor,
  wireTime,
} from './rrsig.ts';
import { checkDenialFits, typeBitmap } from './denial.ts';
import { listedTypes, occludesBelow, signedRrsets, authorityOf } from './rrset.ts';

const day = 86_400;
const life = { validitySeconds: 14 * day, refreshSeconds: 5 * day };
const name = parseAbsoluteName('www.example.test');

describe('windows', () => {
  const now = 1_800_000_000;

  it('begin an hour ago and end within the policy, the same way each time', () => {
    const window = validityFor(name, rrtype.A, life, now);
    expect(window.inception).toBe(now - 3600);
    expect(window.expiration).toBeLessThanOrEqual(now + 14 * day);
    expect(window.expiration).toBeGreaterThan(now + 14 * day - 4.5 * day);
    expect(validityFor(name, rrtype.A, life, now)).toEqual(window);
    expect(isFresh(window, life, now)).toBe(true);
  });

  it('are spread evenly over half of what the policy leaves', () => {
    const days = [0, 0, 0, 0, 0];
    for (let host = 0; host < 10_000; host++) {
      const owner = keyFromLabels([`host${host}`, 'example', 'test']);
      const { expiration } = validityFor(owner, rrtype.A, life, now);
      days[Math.floor((now + 14 * day - expiration) / day)]! += 1;
    }
    for (const count of days.slice(0, 4)) expect(count).toBeGreaterThan(2000);
    expect(days[4]).toBeGreaterThan(1000);
  });

  it('case 76: wrap in 2106 and are compared as serials (RFC 4034 3.1.5)', () => {
    const wrap = 2 ** 32;
    for (const time of [wrap - 10, wrap, wrap + 10 * day]) {
      const { inception, expiration } = validityFor(name, rrtype.A, life, time);
      expect(timeNear(wireTime(inception), time)).toBe(inception);
      expect(timeNear(wireTime(expiration), time)).toBe(expiration);
      expect(wireTime(expiration)).toBeLessThan(wrap);
    }
    const longest = { validitySeconds: 24_855 * day, refreshSeconds: 24_854 * day };
    const { inception, expiration } = validityFor(name, rrtype.A, longest, now);
    expect(expiration - inception).toBeLessThan(2 ** 31);
    expect(timeNear(wireTime(expiration), now)).toBe(expiration);
  });

  it('are left when refresh begins, when the clock went back, when a policy grew stricter', () => {
    const window = validityFor(name, rrtype.A, life, now);
    const due = refreshAt(window.expiration, life);
    expect(isFresh(window, life, due - 1)).toBe(true);
    expect(isFresh(window, life, due)).toBe(false);
    expect(isFresh(window, life, now - 2 * 3600)).toBe(false);
    expect(isFresh(window, { validitySeconds: 2 * day, refreshSeconds: day }, now)).toBe(false);
    expect(refreshAt(window.expiration, life)).toBeGreaterThan(now + 4 * day);
  });
});

describe('type bitmaps', () => {
  it('case 79: are those of the RDATA format, in any window', () => {
    const type = fc.oneof(fc.constantFrom(1, 2, 46, 47, 257, 65_280), fc.nat({ max: 65_535 }));
    fc.assert(
      fc.property(fc.uniqueArray(type, { minLength: 1 }), (types) => {
        const text = types.map((each) => `TYPE${each}`).join(' ');
        const nsec = parseRdataText(rrtype.NSEC, `. ${text}`);
        expect(typeBitmap(types)).toEqual(nsec.subarray(1));
        expect(typeBitmap(types)).toEqual(nsec.subarray(1));
      }),
    );
    expect(typeBitmap([])).toEqual(Buffer.alloc(0));
  });
});

describe('canonical form (RFC 4034 6.2)', () => {
  const form = (type: number, bytes: string) =>
    canonicalRdata(type, Buffer.from(bytes, 'latin1')).toString('latin1');

  it.each([
    [14, '\x01A\x00\x02Bc\x00', '\x01a\x00\x02bc\x00'],
    [21, '\x00A\x01A\x00', '\x00A\x01a\x00'],
    [26, 'AB\x01A\x00\x01B\x00', 'AB\x01a\x00\x01b\x00'],
    [30, '\x01A\x00ABC', '\x01a\x00ABC'],
    [7, '\x01A', '\x01A'],
    [7, '\xc0\x0c', '\xc0\x0c'],
    [65_280, '\x01A\x00', '\x01A\x00'],
    [rrtype.TXT, '\x01A', '\x01A'],
  ])('case 75: names of old types are lower-cased, all else stays: type %i', (type, from, to) => {
    expect(form(type, from)).toBe(to);
  });

  it('RFC 4034 6.3: RDATA in the order of their bytes, each once', () => {
    const sorted = canonicalRdatas(7, ['\x01B\x00', '\x01a\x00', '\x01A\x00'].map(bytes));
    expect(sorted).toEqual(['\x01a\x00', '\x01b\x00'].map(bytes));
    expect(canonicalRdatas(1, ['b', 'a'].map(bytes))).toEqual(['a', 'b'].map(bytes));
  });

  function bytes(text: string): Buffer {
    return Buffer.from(text, 'latin1');
  }
});

it('case 76: the labels of a wildcard are those of its parent', () => {
  expect(signedLabels(parseAbsoluteName('*.a.b'))).toBe(2);
  expect(signedLabels(parseAbsoluteName('x.*.b'))).toBe(3);
  expect(signedLabels(parseAbsoluteName('\\*a.b'))).toBe(2);
});

describe('authority', () => {
  const sub = parseAbsoluteName('sub');
  const rrsets = [rrtype.A, rrtype.NS, rrtype.DS].map((type) => ({ type, ttl: 1, rdatas: [] }));
  const types = (list: readonly { type: number }[]) => list.map((each) => each.type);

  it('case 73: of a delegation only DS is signed, only NS and DS are listed', () => {
    expect(authorityOf(sub, rrsets, false)).toBe('delegation');
    expect(types(signedRrsets('delegation', rrsets))).toEqual([rrtype.DS]);
    expect(listedTypes('delegation', rrsets)).toEqual([rrtype.NS, rrtype.DS]);
    expect(occludesBelow(sub, [{ type: rrtype.NS }])).toBe(true);
  });

  it('the NS of the apex delegate nothing, a DNAME hides what is below it everywhere', () => {
    expect(authorityOf(emptyName, rrsets, false)).toBe('authoritative');
    expect(occludesBelow(emptyName, [{ type: rrtype.NS }])).toBe(false);
    expect(occludesBelow(emptyName, [{ type: rrtype.DNAME }])).toBe(true);
    expect(authorityOf(sub, rrsets, true)).toBe('occluded');
    expect(signedRrsets('occluded', rrsets)).toEqual([]);
    expect(listedTypes('occluded', rrsets)).toEqual([]);
  });
});

it('case 77: NSEC3 needs room for a hashed label above the name of the zone', () => {
  const zoneOf = (bytes: number) =>
    keyFromLabels([`${'a'.repeat(bytes - 1 - 64 * 3 - 1)}`, ...Array(3).fill('b'.repeat(63))]);
  expect(() => checkDenialFits(zoneOf(222), 'nsec3')).not.toThrow();
  expect(() => checkDenialFits(zoneOf(223), 'nsec3')).toThrow(/NSEC3 needs a name of at most 222/);
  expect(() => checkDenialFits(zoneOf(223), 'nsec')).not.toThrow();
});
