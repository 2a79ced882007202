/** Rolls beside each other, published keys that are taken away, DS sets that name no key. */
import { describe, expect, it } from 'vitest';
import { codeOf, day, enabled, facts, keyOf, ringOf, start } from '../../spec/support/key-ring.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { parseRdataText } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { dsRdata } from './dnskey.ts';
import { planKeys } from './key-plan.ts';
import {
  keyActions,
  keysToAbort,
  promotableKeys,
  promote,
  removableKeys,
  removeKeys,
  startAlgorithmRoll,
  startRoll,
} from './key-roll.ts';
import { checkAbort, type ParentAnswer, servesForeignDs } from './parent-ds.ts';
import type { Signer } from './key-pair.ts';
import { waitAgain } from './wait-again.ts';
import type { KeyTerms, ZoneKey } from './zone-key.ts';

const apex = parseAbsoluteName('example.test');

describe('a roll', () => {
  it('case 107: of a KSK that waits for its parent keeps no ZSK from being rolled', () => {
    const keys = enabled(13, true);
    const [terms] = startRoll(ringOf(keys), 'ksk', facts, start + day) as [KeyTerms];
    const rolling = [...keys, keyOf(terms)];
    const schedule = {
      zskLifetimeDays: 1,
      signedAt: start + day,
      withdrawing: false,
      letGoUntil: null,
    };
    const kinds = (of: readonly ZoneKey[]) =>
      keyActions(of, schedule).map(({ kind, awaits, keys: of }) => [kind, of[0]!.role, awaits]);
    expect(kinds(rolling)).toEqual([
      ['start-zsk-roll', 'zsk', 'nothing'],
      ['promote', 'ksk', 'ds-at-all-parents'],
    ]);
    const now = start + 2 * day;
    const [zskTerms] = startRoll(ringOf(rolling), 'zsk', facts, now) as [KeyTerms];
    const both = [...rolling, keyOf(zskTerms)];
    expect(kinds(both)).toEqual([
      ['promote', 'ksk', 'ds-at-all-parents'],
      ['promote', 'zsk', 'nothing'],
    ]);
    // By hand the one that waits for the parent is meant, whichever came first.
    expect(promotableKeys(ringOf(both))).toEqual([both[2]]);
    expect(codeOf(() => startRoll(ringOf(both), 'zsk', facts, now))).toBe(
      'DNSSEC_ROLLOVER_IN_PROGRESS',
    );
    const later = zskTerms.eligibleAt!;
    const zskDone = promote(both, facts, later, [both[3]!]);
    const states = (of: readonly ZoneKey[]) => of.map((key) => `${key.role} ${key.state}`);
    const done = ['ksk active', 'zsk retired', 'ksk published', 'zsk active'];
    expect(states(zskDone)).toEqual(done);
    const signerOf = ({ algorithm, keyTag, dnskey }: ZoneKey): Signer => {
      return { algorithm, keyTag, dnskey, sign: (data: Buffer) => data };
    };
    const plan = planKeys(zskDone, signerOf, { apex, withdrawing: false, now: later });
    const tags = (signers: readonly Signer[]) => signers.map(({ keyTag }) => keyTag);
    const [oldKsk, , newKsk, newZsk] = zskDone.map(({ keyTag }) => keyTag);
    expect(plan.dnskeys).toHaveLength(4);
    expect(tags(plan.dnskeySigners)).toEqual([oldKsk, newKsk]);
    expect(tags(plan.dataSigners)).toEqual([newZsk]);
    const cleared = removeKeys(zskDone, removableKeys(zskDone, later + 9 * day)[0]!);
    expect(states(cleared)).toEqual(['ksk active', 'ksk published', 'zsk active']);
    // A KSK waits for the end of a ZSK's roll: its own takes the time of the parent anyway.
    const [early] = startRoll(ringOf(keys), 'zsk', facts, now) as [KeyTerms];
    expect(codeOf(() => startRoll(ringOf([...keys, keyOf(early)]), 'ksk', facts, now))).toBe(
      'DNSSEC_ROLLOVER_IN_PROGRESS',
    );
    expect(promote(rolling, facts, now)[1]).toBe(rolling[1]);
  });

  it('case 107: is aborted before its promotion, by role or the one that waits', () => {
    const keys = enabled(13, true);
    const now = start + day;
    const ksk = keyOf(startRoll(ringOf(keys), 'ksk', facts, now)[0]!);
    const zsk = keyOf(startRoll(ringOf([...keys, ksk]), 'zsk', facts, now)[0]!);
    const both = ringOf([...keys, ksk, zsk]);
    expect(keysToAbort(both, null)).toEqual([ksk]);
    expect(keysToAbort(both, 'zsk')).toEqual([zsk]);
    expect(codeOf(() => keysToAbort(both, 'csk'))).toBe('INVALID_INPUT');
    expect(keysToAbort(ringOf([...keys, zsk]), null)).toEqual([zsk]);
    expect(codeOf(() => keysToAbort(ringOf(keys), null))).toBe('DNSSEC_NO_ROLLOVER_IN_PROGRESS');
    const promoted = ringOf(promote([...keys, ksk], facts, now));
    expect(codeOf(() => keysToAbort(promoted, null))).toBe('DNSSEC_NO_ROLLOVER_IN_PROGRESS');
    const fresh = startAlgorithmRoll(ringOf(keys), 15, facts, now).map(keyOf);
    for (const role of [null, 'ksk', 'zsk']) {
      expect(keysToAbort(ringOf([...keys, ...fresh]), role)).toEqual(fresh);
    }
  });
});

describe('a DS set at a parent', () => {
  const [old] = enabled(13, false) as [ZoneKey];
  const fresh = keyOf(startRoll(ringOf([old]), null, facts, start)[0]!);
  const oldDs = dsRdata(apex, old.dnskey);
  const newDs = dsRdata(apex, fresh.dnskey);
  const digest = 'AB'.repeat(20);
  const strangeDs = parseRdataText(rrtype.DS, `${fresh.keyTag} 13 5 ${digest}`);
  const unknownDs = parseRdataText(rrtype.DS, `1 13 2 ${'AB'.repeat(32)}`);
  const says = (...ds: Buffer[]): ParentAnswer => {
    return { address: '192.0.2.1:53', ds, ttlSeconds: 60 };
  };
  const silent: ParentAnswer = { address: '192.0.2.2:53', failure: 'no answer in 2 s' };

  it('case 108: names none of the keys, whatever their states', () => {
    const foreign = (...answers: ParentAnswer[]) => servesForeignDs(ringOf([old, fresh]), answers);
    expect(foreign(says(unknownDs))).toBe(true);
    expect(foreign(says(oldDs), says(unknownDs))).toBe(true);
    expect(foreign(says(unknownDs, newDs))).toBe(false);
    expect(foreign(says(strangeDs))).toBe(false);
    expect(foreign(says(), silent)).toBe(false);
    expect(foreign()).toBe(false);
  });

  it('keeps a published key from being aborted while the parent relies on it', () => {
    const check = (going: ZoneKey[], now: number, ...answers: ParentAnswer[]) =>
      codeOf(() => checkAbort(ringOf([old, ...going]), going, answers, now));
    expect(check([fresh], start, says(oldDs, newDs), says(oldDs), silent)).toBe(
      'nothing was refused',
    );
    expect(check([fresh], start, says(unknownDs), says())).toBe('nothing was refused');
    expect(check([fresh], start, says(oldDs), says(newDs))).toBe('DNSSEC_DS_PUBLISHED');
    const [other] = startAlgorithmRoll(ringOf([old]), 15, facts, start).map(keyOf) as [ZoneKey];
    const otherDs = dsRdata(apex, other.dnskey);
    expect(check([other], start, says(oldDs), silent)).toBe('nothing was refused');
    expect(check([other], start, says(oldDs, otherDs))).toBe('DNSSEC_DS_PUBLISHED');
    // Once its DS was offered, silence may hide one that validators insist on.
    expect(check([other], other.dsFrom!, says(oldDs), silent)).toBe('DNSSEC_DS_UNVERIFIED');
    expect(check([other], other.dsFrom!, says(oldDs))).toBe('nothing was refused');
  });

  it('keeps no key of a zone that was taken back from being aborted once caches know the others', () => {
    const [, again] = waitAgain([old, fresh], facts, 70_000, start + day) as [ZoneKey, ZoneKey];
    const check = (now: number) =>
      codeOf(() => checkAbort(ringOf([old, again]), [again], [says(oldDs)], now));
    expect(check(again.eligibleAt! - 1)).toBe('INVALID_INPUT');
    expect(check(again.eligibleAt!)).toBe('nothing was refused');
  });
});
