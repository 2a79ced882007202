/** Key states in time: rolls, waits, what is refused, what comes next. */
import { describe, expect, it } from 'vitest';
import {
  codeOf,
  day,
  enabled,
  facts,
  keyOf,
  ringOf,
  second,
  start,
} from '../../spec/support/key-ring.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { parseRdataText } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { dsRdata } from './dnskey.ts';
import { dsKeys, planKeys } from './key-plan.ts';
import {
  checkHolddown,
  keyActions,
  leavesAlgorithm,
  policyMoveOf,
  promotableKeys,
  promote,
  removableKeys,
  removeKeys,
  startAlgorithmRoll,
  startRoll,
} from './key-roll.ts';
import {
  anyDs,
  checkAllAnswered,
  checkDisable,
  checkDsOfPromoted,
  dsAtParents,
  type ParentAnswer,
  removalBlock,
} from './parent-ds.ts';
import { largestServedTtl, noteServedTtl, type ServedTtl, waitMs } from './key-timing.ts';
import type { Signer } from './key-pair.ts';
import type { KeyTerms, ZoneKey } from './zone-key.ts';

const apex = parseAbsoluteName('example.test');

/** Who signs what, by role and algorithm, and how many keys parents hear of. */
function planned(keys: readonly ZoneKey[], now: number, withdrawing = false) {
  const named = (key: ZoneKey) => `${key.algorithm} ${key.role} ${key.id}`;
  const signers = new Map<Signer, string>();
  const signerOf = (key: ZoneKey): Signer => {
    const { algorithm, keyTag, dnskey } = key;
    const signer = { algorithm, keyTag, dnskey, sign: (data: Buffer) => data };
    signers.set(signer, named(key));
    return signer;
  };
  const plan = planKeys(keys, signerOf, { apex, withdrawing, now });
  const names = (list: readonly Signer[]) => list.map((signer) => signers.get(signer));
  return {
    dnskeys: plan.dnskeys.length,
    cds: plan.cds.length,
    cdnskeys: plan.cdnskeys.length,
    dnskey: names(plan.dnskeySigners),
    parents: names(plan.cdsSigners),
    data: names(plan.dataSigners),
  };
}

describe('a zone just signed', () => {
  it('has active keys, DS at once, and CDS when no cache holds it unsigned', () => {
    const keys = enabled(13, false);
    const [csk] = keys as [ZoneKey];
    expect(csk).toMatchObject({ role: 'csk', state: 'active', eligibleAt: null });
    expect(dsKeys(keys, start)).toEqual([csk]);
    expect(planned(keys, start)).toMatchObject({ dnskeys: 1, cds: 0, cdnskeys: 0 });
    const from = start + 7500 * second;
    expect(csk.cdsFrom).toBe(from);
    expect(planned(keys, from - 1).cds).toBe(0);
    expect(planned(keys, from)).toMatchObject({ cds: 1, cdnskeys: 1 });
    const terms = { zskLifetimeDays: 30, signedAt: start, withdrawing: false, letGoUntil: null };
    expect(keyActions(keys, terms)).toEqual([
      { kind: 'publish-cds', at: from, keys, awaits: 'nothing' },
    ]);
    expect(keyActions(keys, { ...terms, signedAt: from })).toEqual([]);
  });

  it('case 81: asks for removal with one pair, whatever it waits for', () => {
    const keys = enabled(13, true);
    expect(planned(keys, start, true)).toMatchObject({ dnskeys: 2, cds: 1, cdnskeys: 1 });
  });

  it('signs with its KSK what its KSK signs', () => {
    const keys = enabled(8, true);
    const [ksk, zsk] = keys.map((key) => `8 ${key.role} ${key.id}`);
    expect(planned(keys, start)).toMatchObject({ dnskey: [ksk], parents: [ksk], data: [zsk] });
    expect(keys[1]).toMatchObject({ cdsFrom: null, dsFrom: null });
  });
});

describe('a same-algorithm roll', () => {
  it('of a CSK: published, promoted, retired, removed', () => {
    const [old] = enabled(13, false) as [ZoneKey];
    const now = start + 10 * day;
    const [terms] = startRoll(ringOf([old]), null, facts, now) as [KeyTerms];
    expect(terms).toMatchObject({ role: 'csk', state: 'published', cdsFrom: now, dsFrom: now });
    expect(terms.eligibleAt).toBe(now + 3900 * second);
    const fresh = keyOf(terms);
    const both = [old, fresh];
    const [oldName, newName] = [`13 csk ${old.id}`, `13 csk ${fresh.id}`];
    expect(planned(both, now)).toEqual({
      dnskeys: 2,
      cds: 2,
      cdnskeys: 2,
      dnskey: [oldName, newName],
      parents: [oldName],
      data: [oldName],
    });
    expect(dsKeys(both, now)).toEqual(both);
    expect(codeOf(() => startRoll(ringOf(both), null, facts, now))).toBe(
      'DNSSEC_ROLLOVER_IN_PROGRESS',
    );
    const waiting = promotableKeys(ringOf(both));
    expect(waiting).toEqual([fresh]);
    const holddown = (isSkipped: boolean, at: number) =>
      checkHolddown(ringOf(both), waiting, isSkipped, at);
    expect(codeOf(() => holddown(false, terms.eligibleAt! - 1))).toBe('INVALID_INPUT');
    expect(holddown(false, terms.eligibleAt!)).toEqual([]);
    expect(holddown(true, now)).toEqual([
      expect.stringContaining(`without key ${fresh.keyTag} find what it signs bogus`),
    ]);
    const action = { kind: 'promote', at: terms.eligibleAt!, keys: [fresh] };
    const schedule = { zskLifetimeDays: 0, signedAt: now, withdrawing: false, letGoUntil: null };
    expect(keyActions(both, schedule)).toEqual([{ ...action, awaits: 'ds-at-all-parents' }]);

    const later = terms.eligibleAt! + day;
    const promoted = promote(both, facts, later);
    expect(promoted.map((key) => key.state)).toEqual(['retired', 'active']);
    expect(promoted[1]!.eligibleAt).toBeNull();
    expect(promoted[0]!.eligibleAt).toBe(later + (86_400 + 300) * second);
    expect(planned(promoted, later)).toEqual({
      dnskeys: 2,
      cds: 1,
      cdnskeys: 1,
      dnskey: [oldName, newName],
      parents: [newName],
      data: [newName],
    });
    expect(dsKeys(promoted, later)).toEqual([promoted[1]]);
    expect(removableKeys(promoted, promoted[0]!.eligibleAt! - 1)).toEqual([]);
    const groups = removableKeys(promoted, promoted[0]!.eligibleAt!);
    expect(groups).toEqual([[promoted[0]]]);
    expect(removeKeys(promoted, groups[0]!)).toEqual([promoted[1]]);
    expect(keyActions(promoted, schedule)).toEqual([
      {
        kind: 'remove',
        at: promoted[0]!.eligibleAt,
        keys: [promoted[0]],
        awaits: 'parents-let-go',
      },
    ]);
  });

  it('of a ZSK: begun and promoted by the scheduler, which asks no parent', () => {
    const keys = enabled(13, true);
    const schedule = {
      zskLifetimeDays: 30,
      signedAt: start + day,
      withdrawing: false,
      letGoUntil: null,
    };
    expect(keyActions(keys, schedule)).toEqual([
      { kind: 'start-zsk-roll', at: start + 30 * day, keys: [keys[1]], awaits: 'nothing' },
    ]);
    const now = start + 30 * day;
    const [terms] = startRoll(ringOf(keys), 'zsk', facts, now) as [KeyTerms];
    expect(terms).toMatchObject({ role: 'zsk', cdsFrom: null, dsFrom: null });
    const rolling = [...keys, keyOf(terms)];
    expect(codeOf(() => promotableKeys(ringOf(rolling)))).toBe('INVALID_INPUT');
    const [action] = keyActions(rolling, { ...schedule, signedAt: now });
    expect(action).toMatchObject({ kind: 'promote', at: terms.eligibleAt, awaits: 'nothing' });
    const done = promote(rolling, facts, terms.eligibleAt!);
    expect(done.map((key) => key.state)).toEqual(['active', 'retired', 'active']);
    expect(done[1]!.eligibleAt).toBe(terms.eligibleAt! + 7500 * second);
    expect(planned(done, terms.eligibleAt!).data).toEqual([`13 zsk ${done[2]!.id}`]);
  });

  it('of a KSK counts the TTL of its keys and the parent, for it signs no data', () => {
    const keys = enabled(13, true);
    const [terms] = startRoll(ringOf(keys), 'ksk', facts, start + day) as [KeyTerms];
    const seen = { ...facts, parentDsTtlSeconds: 60 };
    const now = start + 2 * day;
    const promoted = promote([...keys, keyOf(terms)], seen, now);
    expect(promoted[0]!.eligibleAt).toBe(now + 3900 * second);
  });

  it('needs a role in a split zone, and one that the zone has', () => {
    const split = ringOf(enabled(13, true));
    const single = ringOf(enabled(13, false));
    for (const [ring, role] of [
      [split, null],
      [split, 'csk'],
      [split, 'x'],
      [single, 'ksk'],
    ] as const) {
      expect(codeOf(() => startRoll(ring, role, facts, start))).toBe('INVALID_INPUT');
    }
    expect(startRoll(single, 'csk', facts, start)).toHaveLength(1);
    expect(codeOf(() => promotableKeys(single))).toBe('DNSSEC_NO_ROLLOVER_IN_PROGRESS');
  });
});

describe('case 82: an algorithm roll', () => {
  it('brings keys and signatures together, tells parents later, and lets the old go together', () => {
    const keys = enabled(8, true);
    const now = start + 10 * day;
    const fresh = startAlgorithmRoll(ringOf(keys), 13, facts, now).map(keyOf);
    const until = now + 7500 * second;
    expect(fresh.map((key) => [key.role, key.state, key.eligibleAt])).toEqual([
      ['ksk', 'published', until],
      ['zsk', 'published', until],
    ]);
    const all = [...keys, ...fresh];
    const [oldKsk, oldZsk, newKsk, newZsk] = all.map(
      (key) => `${key.algorithm} ${key.role} ${key.id}`,
    );
    const both = {
      dnskey: [oldKsk, newKsk],
      parents: [oldKsk, newKsk],
      data: [oldZsk, newZsk],
      dnskeys: 4,
    };
    expect(planned(all, now)).toEqual({ ...both, cds: 1, cdnskeys: 1 });
    expect(dsKeys(all, until - 1)).toEqual([keys[0]]);
    expect(planned(all, until)).toEqual({ ...both, cds: 2, cdnskeys: 2 });
    expect(dsKeys(all, until)).toEqual([keys[0], fresh[0]]);

    const promoted = promote(all, facts, until);
    expect(promoted.map((key) => key.state)).toEqual(['retired', 'retired', 'active', 'active']);
    // They leave together though a ZSK alone would be done sooner.
    const end = until + (86_400 + 300) * second;
    expect(promoted.map((key) => key.eligibleAt)).toEqual([end, end, null, null]);
    expect(planned(promoted, until)).toEqual({ ...both, cds: 1, cdnskeys: 1 });
    expect(codeOf(() => startRoll(ringOf(promoted), 'zsk', facts, until))).toBe(
      'DNSSEC_ROLLOVER_IN_PROGRESS',
    );
    const groups = removableKeys(promoted, end);
    expect(groups).toEqual([[promoted[0], promoted[1]]]);
    expect(leavesAlgorithm(promoted, groups[0]!)).toBe(true);
    // Not before caches have let go of the old DS, and of what they proved by it.
    const schedule = { zskLifetimeDays: 0, signedAt: until, withdrawing: false };
    const removalAt = (letGoUntil: number | null) =>
      keyActions(promoted, { ...schedule, letGoUntil }).map(({ kind, at }) => [kind, at]);
    expect(removalAt(null)).toEqual([['remove', end]]);
    expect(removalAt(end - day)).toEqual([['remove', end]]);
    expect(removalAt(end + day)).toEqual([['remove', end + day]]);
    expect(waitMs('ds-removed', { ...facts, parentDsTtlSeconds: 60 })).toBe(
      (60 + facts.dnskeyTtlSeconds + facts.soaRefreshSeconds) * 1000,
    );
    const left = removeKeys(promoted, groups[0]!);
    expect(planned(left, end)).toMatchObject({ dnskeys: 2, dnskey: [newKsk], data: [newZsk] });
  });

  it('is what a policy of another algorithm asks for; another layout is refused', () => {
    const ring = ringOf(enabled(8, true));
    expect(policyMoveOf(ring, 'p', { algorithm: 8, splitKeys: true })).toBe('keeps-keys');
    expect(policyMoveOf(ring, 'p', { algorithm: 13, splitKeys: true })).toBe('rolls-algorithm');
    expect(codeOf(() => policyMoveOf(ring, 'p', { algorithm: 8, splitKeys: false }))).toBe(
      'INVALID_INPUT',
    );
    const [terms] = startRoll(ring, 'zsk', facts, start) as [KeyTerms];
    const rolling = ringOf([...ring.keys, keyOf(terms)]);
    expect(codeOf(() => policyMoveOf(rolling, 'p', { algorithm: 13, splitKeys: true }))).toBe(
      'DNSSEC_ROLLOVER_IN_PROGRESS',
    );
    expect(policyMoveOf(rolling, 'p', { algorithm: 8, splitKeys: true })).toBe('keeps-keys');
  });
});

describe('TTLs that were served', () => {
  it('count until no cache holds them', () => {
    let history: ServedTtl[] = noteServedTtl([], 7200, 300, start);
    history = noteServedTtl(history, 60, 300, start + day);
    expect(largestServedTtl(history, 300, start + day)).toBe(7200);
    expect(largestServedTtl(history, 300, start + day + 7499 * second)).toBe(7200);
    expect(largestServedTtl(history, 300, start + day + 7500 * second)).toBe(60);
    expect(noteServedTtl(history, 60, 300, start + day)).toEqual(history);
    expect(noteServedTtl(history, 90, 300, start + 2 * day)).toEqual([
      { ttlSeconds: 90, servedUntil: null },
    ]);
    expect(noteServedTtl(history, 9000, 300, start + day)).toEqual([
      { ttlSeconds: 9000, servedUntil: null },
    ]);
  });
});

describe('what parents say', () => {
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

  it('promotes when all serve a DS of the new key', () => {
    const check = (...answers: ParentAnswer[]) =>
      codeOf(() => checkDsOfPromoted(ringOf([old, fresh]), [fresh], answers, start));
    expect(check(says(oldDs, newDs), says(newDs))).toBe('nothing was refused');
    expect(check(says(oldDs, newDs), says(oldDs))).toBe('DNSSEC_DS_NOT_PUBLISHED');
    expect(check(says())).toBe('DNSSEC_DS_NOT_PUBLISHED');
    expect(check(says(strangeDs))).toBe('DNSSEC_DS_UNVERIFIED');
    expect(check(says(newDs), silent)).toBe('DNSSEC_DS_UNVERIFIED');
    expect(check()).toBe('DNSSEC_DS_UNVERIFIED');
    expect(dsAtParents(apex, fresh, [says(newDs), says(oldDs)]).published).toBe(false);
    expect(dsAtParents(apex, fresh, [says(newDs)]).published).toBe(true);
    expect(dsAtParents(apex, fresh, [says(strangeDs)])).toEqual({
      published: false,
      digestUnsupported: true,
      missing: expect.stringContaining('only in a digest type that can not be computed here'),
    });
  });

  it('disables when all answer and none serves a DS', () => {
    const check = (...answers: ParentAnswer[]) => codeOf(() => checkDisable('z', answers));
    expect(check(says(), says())).toBe('nothing was refused');
    expect(check(says(), says(oldDs))).toBe('DNSSEC_DS_PUBLISHED');
    expect(check(says(), silent)).toBe('DNSSEC_DS_UNVERIFIED');
    expect(check()).toBe('DNSSEC_DS_UNVERIFIED');
    expect(anyDs([says(), silent])).toBe(false);
    expect(anyDs([says(), says(oldDs)])).toBe(true);
    expect(() => checkAllAnswered('z', [says(), silent])).toThrow(/192\.0\.2\.2:53.*no answer/);
    expect(() => checkAllAnswered('z', [says(oldDs)])).not.toThrow();
  });

  it('keeps a retired key while a parent relies on it', () => {
    const promoted = promote([old, fresh], facts, start);
    const block = (...answers: ParentAnswer[]) =>
      removalBlock(ringOf(promoted), [promoted[0]!], answers);
    expect(block(says(oldDs))).toMatch(/names no active key/);
    expect(block(says(unknownDs))).toMatch(/names no active key/);
    expect(block(says(oldDs, newDs))).toBeNull();
    expect(block(says(strangeDs))).toBeNull();
    expect(block(says(), silent)).toBeNull();
  });

  it('keeps the keys of a leaving algorithm while a parent serves its DS', () => {
    const keys = promote(
      [old, ...startAlgorithmRoll(ringOf([old]), 15, facts, start).map(keyOf)],
      facts,
      start,
    );
    const ds = dsRdata(apex, keys[1]!.dnskey);
    const block = (...answers: ParentAnswer[]) => removalBlock(ringOf(keys), [keys[0]!], answers);
    expect(block(says(oldDs, ds))).toMatch(/still serves a DS of algorithm 13/);
    expect(block(says(ds), silent)).toMatch(/2\.2:53 has not said .* algorithm 13: no answer/);
    expect(block()).toMatch(/no parent server/);
    expect(block(says(ds))).toBeNull();
  });
});
