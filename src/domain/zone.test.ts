/** The table of a zone's settings, and what events of older versions mean by it. */
import { type Setting, zoneSettings } from '../base/zone-settings.ts';
import { describe, expect, it } from 'vitest';
import { standInFrom } from './event.ts';
import { type StoredSigning, signingOf, storedSigning, unsigned } from './signing.ts';
import {
  changedSettings,
  settingNames,
  settingsFrom,
  settingsOf,
  withSettings,
  type ZoneSettings,
} from './zone.ts';

const settings: ZoneSettings = {
  name: 'example.com',
  mname: 'ns1.example.com',
  rname: 'hostmaster@example.com',
  defaultTtl: 3600,
  minimumTtl: 300,
  refresh: 3600,
  retry: 600,
  expire: 86_400,
  serial: 1,
  description: null,
  enabled: true,
  guard: null,
};

describe('settings of a zone', () => {
  it('are read one and all by whoever goes through the table', () => {
    expect(Object.keys(settingsOf(settings))).toEqual([...settingNames]);
    expect(settingsFrom(settings)).toEqual(settings);
    expect(changedSettings(settings, settings)).toEqual([]);
    expect(changedSettings(settings, { ...settings, retry: 1, enabled: false })).toEqual([
      'retry',
      'enabled',
    ]);
  });

  it('are refused outside of their range, by their name in the interface', () => {
    for (const name of settingNames) {
      const { field, kind, range }: Setting = zoneSettings[name];
      if (range === undefined) continue;
      const [min, max] = range;
      if (kind === 'note') {
        const longest = 'ä'.repeat(max);
        expect(withSettings(settings, { [name]: longest })[name]).toBe(longest);
        expect(() => withSettings(settings, { [name]: `${longest}x` })).toThrow(
          `${field}: ${max + 1} characters (at most ${max})`,
        );
        continue;
      }
      for (const value of [min, max]) {
        expect(withSettings(settings, { [name]: value })[name]).toBe(value);
      }
      for (const value of [min - 1, max + 1, min + 0.5]) {
        expect(() => withSettings(settings, { [name]: value })).toThrow(
          `${field}: ${value} is outside ${min}..${max}`,
        );
      }
    }
  });

  it('stay as they are where nothing is given; an empty description is none', () => {
    expect(withSettings(settings, {})).toEqual(settings);
    const noted = withSettings(settings, { description: 'x', mname: 'NS2.Example.COM.' });
    expect(noted).toEqual({ ...settings, description: 'x', mname: 'ns2.example.com' });
    expect(withSettings(noted, { description: '' }).description).toBeNull();
  });
});

describe('events of older versions', () => {
  it('know of signing what the first version wrote; the rest nobody had seen', () => {
    const key = {
      id: 1,
      keyTag: 1,
      algorithm: 13,
      role: 'csk',
      state: 'active',
      createdAt: 5,
      stateChangedAt: 5,
      eligibleAt: null,
      cdsFrom: 6,
      dsFrom: 5,
      dnskey: 'AQEDDQ==',
    } as const;
    const first: StoredSigning = {
      policyId: 1,
      parentNsAddrs: ['192.0.2.1:53'],
      keys: [key],
      withdrawing: false,
      signedAt: 5,
      dnskeyTtls: [],
      largestTtls: [],
      dsSeen: null,
    };
    const signing = signingOf(first);
    expect(signing).toEqual({
      ...unsigned,
      ...first,
      keys: [{ ...key, dnskey: Buffer.of(1, 1, 3, 13), dsSeenAt: null }],
    });
    expect(JSON.stringify(storedSigning(signingOf(storedSigning(signing))))).toBe(
      JSON.stringify(storedSigning(signing)),
    );
    expect(Object.keys(signing)).toEqual(Object.keys(unsigned));
  });

  it('stand for no signing key where they know of none', () => {
    const first = { upToSeq: 7, greatestRecordId: 3 };
    expect(standInFrom(first)).toEqual({ ...first, greatestKeyId: 0 });
    expect(standInFrom({ ...first, greatestKeyId: 2 }).greatestKeyId).toBe(2);
  });
});
