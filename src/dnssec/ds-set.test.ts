/** Which keys a DS set names to validators, and what follows for rolls. */
import { describe, expect, it } from 'vitest';
import { codeOf, enabled, facts, keyOf, ringOf, start } from '../../spec/support/key-ring.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { dsOfType } from './dnskey.ts';
import { promote, startRoll } from './key-roll.ts';
import {
  abortBlock,
  checkDsOfPromoted,
  dsAtParents,
  type ParentAnswer,
  removalBlock,
  servesForeignDs,
} from './parent-ds.ts';
import type { ZoneKey } from './zone-key.ts';

const apex = parseAbsoluteName('example.test');
const [old] = enabled(13, false) as [ZoneKey];
const fresh = keyOf(startRoll(ringOf([old]), null, facts, start)[0]!);
const [other] = enabled(8, false) as [ZoneKey];
const promoted = promote([old, fresh], facts, start);

type Digest = 1 | 2 | 4;

/** A DS of a key; `wrong` of none. */
function dsOf({ dnskey }: ZoneKey, digest: Digest, wrong = false): Buffer {
  const ds = Buffer.from(dsOfType(apex, dnskey, digest)!);
  if (wrong) ds[ds.length - 1]! ^= 1;
  return ds;
}
const answerOf = (ds: readonly Buffer[]): ParentAnswer[] => [
  { address: '192.0.2.1:53', ds, ttlSeconds: 60 },
];
const textOf = (ds: Buffer) => printRdata(rrtype.DS, ds);

describe('a DS set names a key to validators', () => {
  it.each<[string, Buffer[], boolean]>([
    ['by SHA-1 alone', [dsOf(fresh, 1)], true],
    ['by SHA-256', [dsOf(old, 2), dsOf(fresh, 2)], true],
    ['by SHA-384 and not by SHA-256', [dsOf(fresh, 4), dsOf(fresh, 2, true)], true],
    ['not by SHA-1 beside SHA-256', [dsOf(old, 2), dsOf(fresh, 1)], false],
    ['not by SHA-1 beside a wrong SHA-256', [dsOf(fresh, 1), dsOf(fresh, 2, true)], false],
    ['not by SHA-1 beside SHA-256 of another algorithm', [dsOf(other, 2), dsOf(fresh, 1)], false],
    ['not by SHA-256 beside SHA-384', [dsOf(old, 4), dsOf(fresh, 2)], false],
    ['by SHA-256 beside SHA-384 of another algorithm', [dsOf(other, 4), dsOf(fresh, 2)], true],
  ])('%s', (_, ds, expected) => {
    const check = () => checkDsOfPromoted(ringOf([old, fresh]), [fresh], answerOf(ds), start);
    expect(codeOf(check)).toBe(expected ? 'nothing was refused' : 'DNSSEC_DS_NOT_PUBLISHED');
    expect(dsAtParents(apex, fresh, answerOf(ds)).published).toBe(expected);
  });

  it('or says which DS is missing', () => {
    const missing = (...ds: Buffer[]) => dsAtParents(apex, fresh, answerOf(ds)).missing;
    const key = `the DS of key ${fresh.keyTag}`;
    expect(missing(dsOf(old, 2), dsOf(fresh, 1))).toBe(
      `parent server 192.0.2.1:53 serves ${key} only with SHA-1, ` +
        `which validators ignore beside a better digest: '${textOf(dsOf(fresh, 2))}' is missing`,
    );
    expect(missing(dsOf(old, 4), dsOf(fresh, 2))).toBe(
      `parent server 192.0.2.1:53 serves ${key} only with SHA-256, and validators go by the ` +
        `strongest digest, which names another key: '${textOf(dsOf(fresh, 4))}' is missing`,
    );
    expect(missing(dsOf(other, 2), dsOf(fresh, 1))).toContain(`'${textOf(dsOf(fresh, 2))}' is`);
    expect(missing(dsOf(old, 2))).toBe(
      `parent server 192.0.2.1:53 serves no DS of key ${fresh.keyTag}`,
    );
    expect(missing(dsOf(fresh, 2))).toBeNull();
  });
});

describe('what a DS set does not name to validators', () => {
  const block = (...ds: Buffer[]) => removalBlock(ringOf(promoted), [promoted[0]!], answerOf(ds));
  const foreign = (...ds: Buffer[]) => servesForeignDs(ringOf([old, fresh]), answerOf(ds));

  it('keeps a retired key', () => {
    expect(block(dsOf(old, 2), dsOf(fresh, 1))).toContain(`'${textOf(dsOf(fresh, 2))}' is missing`);
    expect(block(dsOf(old, 4), dsOf(fresh, 2))).toContain(`'${textOf(dsOf(fresh, 4))}' is missing`);
    expect(block(dsOf(fresh, 1), dsOf(fresh, 2, true))).toContain('only with SHA-1');
    expect(block(dsOf(other, 2), dsOf(fresh, 2))).toMatch(/algorithm 8 that names no active key/);
    expect(block(dsOf(old, 1), dsOf(fresh, 2))).toBeNull();
    expect(block(dsOf(old, 2), dsOf(fresh, 4))).toBeNull();
  });

  it('is foreign, though another digest names a key', () => {
    expect(foreign(dsOf(old, 1), dsOf(old, 2, true))).toBe(true);
    expect(foreign(dsOf(old, 4, true), dsOf(fresh, 2))).toBe(true);
    expect(foreign(dsOf(other, 2), dsOf(old, 2))).toBe(true);
    expect(foreign(dsOf(old, 1, true), dsOf(old, 2))).toBe(false);
    expect(foreign(dsOf(old, 4), dsOf(fresh, 2))).toBe(false);
    const gost = Buffer.from(dsOf(other, 2));
    gost[2] = 12;
    expect(foreign(gost, dsOf(old, 2))).toBe(false);
  });

  it('does not let a published key be aborted that only the strongest DS names', () => {
    const abort = (...ds: Buffer[]) => abortBlock(ringOf([old, fresh]), [fresh], answerOf(ds));
    expect(abort(dsOf(old, 2), dsOf(fresh, 4))).toMatch(/only the DS of the new key/);
    expect(abort(dsOf(old, 1), dsOf(fresh, 2))).toMatch(/only the DS of the new key/);
    expect(abort(dsOf(old, 2), dsOf(fresh, 1))).toBeNull();
  });
});
