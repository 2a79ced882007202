import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AnsweredUpdates, type SignedMessage, signedMessage } from './update-replay.ts';

const minute = 60_000;

/** A message of its own for each text. */
function message(text: string, fudgeSeconds = 300): SignedMessage {
  const mac = createHash('sha256').update(text).digest();
  return signedMessage({ id: 1, mac, fudgeSeconds });
}

function memory(maxKept?: number) {
  const time = { now: 1_000_000 };
  const answered = new AnsweredUpdates<number>(() => time.now, maxKept);
  return { time, answered };
}

describe('answered updates', () => {
  it('are told by key and MAC', () => {
    const mac = Buffer.alloc(32, 1);
    const other = Buffer.from(mac);
    other[0] = 2;
    const key = { id: 7, mac, fudgeSeconds: 300 };
    const identityOf = (each: typeof key) => signedMessage(each).identity;
    const all = [key, { ...key, mac: other }, { ...key, id: 8 }].map(identityOf);
    expect(new Set(all).size).toBe(3);
    expect(identityOf({ ...key, mac: Buffer.from(mac) })).toBe(all[0]);
  });

  it('are taken over from before, as far back as a signature holds', () => {
    const { answered } = memory();
    const asked: number[] = [];
    const since = (sinceMs: number) => {
      asked.push(sinceMs);
      return ['a', 'b'].map((text) => message(text).identity);
    };
    answered.restore(since, 5);
    expect(asked).toEqual([1_000_000 - 10 * minute, 1_000_000 - 120 * minute]);
    expect([
      answered.recall(message('a')),
      answered.recall(message('b')),
      answered.recall(message('c')),
      answered.recall(message('a', 3600)),
    ]).toEqual([5, 5, undefined, 5]);
  });

  it.each([301, 3600, 65_535])('with a fudge of %i s are known for two hours', (fudgeSeconds) => {
    const { time, answered } = memory(1000);
    answered.keep(message('a', fudgeSeconds), 0);
    // However many others come, of those with the usual fudge.
    for (let index = 0; index < 5000; index++) answered.keep(message(`u${index}`), index);
    time.now += 120 * minute;
    expect(answered.recall(message('a', fudgeSeconds))).toBe(0);
    answered.forget(message('a', fudgeSeconds));
    expect(answered.recall(message('a', fudgeSeconds))).toBeUndefined();
    answered.keep(message('b', fudgeSeconds), 0);
    time.now += 241 * minute;
    expect(answered.recall(message('b', fudgeSeconds))).toBeUndefined();
  });

  it('are known for twice the fudge at least, and forgotten some time', () => {
    const { time, answered } = memory();
    time.now += 7 * minute;
    answered.keep(message('a'), 0);
    for (let passed = 0; passed <= 10; passed++) {
      expect(answered.recall(message('a')), `${passed} min`).toBe(0);
      time.now += minute;
    }
    time.now += 10 * minute;
    expect(answered.recall(message('a'))).toBeUndefined();
  });

  it('are forgotten after a silence, too', () => {
    const { time, answered } = memory();
    answered.keep(message('a'), 0);
    time.now += 21 * minute;
    expect(answered.recall(message('a'))).toBeUndefined();
  });

  it('are so many at most, the oldest going first', () => {
    const { answered } = memory(1000);
    for (let index = 0; index < 5000; index++) answered.keep(message(`u${index}`), index);
    const kept = Array.from({ length: 5000 }, (_, index) => answered.recall(message(`u${index}`)));
    const count = kept.filter((answer) => answer !== undefined).length;
    expect(count).toBeGreaterThanOrEqual(500);
    expect(count).toBeLessThanOrEqual(1000);
    expect(kept.at(-1)).toBe(4999);
    expect(kept.findIndex((answer) => answer !== undefined)).toBe(5000 - count);
  });

  it('are told apart whatever their MACs and keys have in common', () => {
    const { answered } = memory(100_000);
    const known = new Map<string, number>();
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    for (let turn = 0; turn < 20_000; turn++) {
      const mac = Buffer.alloc(32);
      // Many share the beginning of their MAC, or the rest of it.
      mac.writeUInt32LE(random(50), 0);
      mac.writeUInt32LE(random(100), 12);
      const one = signedMessage({ id: 1 + random(3), mac, fudgeSeconds: 300 });
      const text = one.identity;
      expect(answered.recall(one)).toBe(known.get(text));
      if (random(4) === 0) {
        answered.forget(one);
        known.delete(text);
      } else {
        answered.keep(one, turn);
        known.set(text, turn);
      }
    }
    expect(known.size).toBeGreaterThan(2000);
  });

  it('can be forgotten, wherever they are by now', () => {
    const { time, answered } = memory();
    answered.keep(message('a'), 0);
    time.now += 11 * minute;
    answered.keep(message('b'), 0);
    answered.forget(message('a'));
    answered.forget(message('b'));
    expect([answered.recall(message('a')), answered.recall(message('b'))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
