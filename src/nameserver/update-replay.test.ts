import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AnsweredUpdates, type SignedMessage, signedMessage } from './update-replay.ts';

const minute = 60_000;

/** Seconds since 1970. */
const startedAt = 1000;

/** A message of its own for each text. */
function message(text: string, fudgeSeconds = 300, id = 1, timeSigned = startedAt): SignedMessage {
  const mac = createHash('sha256').update(text).digest();
  return signedMessage({ id, mac, fudgeSeconds, timeSigned, createdAt: 0 });
}

function memory(maxKept?: number) {
  const time = { now: startedAt * 1000 };
  const answered = new AnsweredUpdates<number>(() => time.now, maxKept);
  return { time, answered };
}

describe('answered updates', () => {
  it('are identified by key and MAC', () => {
    const mac = Buffer.alloc(32, 1);
    const other = Buffer.from(mac);
    other[0] = 2;
    const key = { id: 7, mac, fudgeSeconds: 300, timeSigned: startedAt, createdAt: 0 };
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
    expect(asked).toEqual([1_000_000 - 120 * minute]);
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
    const messages = Array.from({ length: 5000 }, (_, index) => message(`u${index}`));
    for (const [index, each] of messages.entries()) answered.keep(each, index);
    const kept = messages.map((each) => answered.recall(each));
    const count = kept.filter((answer) => answer !== undefined).length;
    expect(count).toBeGreaterThanOrEqual(900);
    expect(count).toBeLessThanOrEqual(1000);
    expect(kept.at(-1)).toBe(4999);
    expect(kept.findIndex((answer) => answer !== undefined)).toBe(5000 - count);
  });

  it('of one key are not pushed out by those of another', () => {
    const { answered } = memory(1000);
    const few = Array.from({ length: 100 }, (_, index) => message(`few${index}`));
    for (const each of few) answered.keep(each, 1);
    for (const fudgeSeconds of [300, 3600]) {
      for (let index = 0; index < 5000; index++) {
        answered.keep(message(`many${index}`, fudgeSeconds, 2), 2);
      }
    }
    expect(few.map((each) => answered.recall(each))).toEqual(few.map(() => 1));
    expect(few.map((each) => answered.isLate(each))).toEqual(few.map(() => false));
  });

  it('that were given up are late, and so is what was signed no later', () => {
    const { time, answered } = memory(1000);
    for (let second = 0; second < 50; second++) {
      for (let index = 0; index < 100; index++) {
        answered.keep(message(`${second}-${index}`, 300, 1, startedAt + second), 1);
      }
      time.now += 1000;
    }
    const signedAt = (second: number, id = 1) => message('new', 300, id, startedAt + second);
    for (let second = 0; second < 50; second++) {
      for (let index = 0; index < 100; index++) {
        const each = message(`${second}-${index}`, 300, 1, startedAt + second);
        // Never forgotten without being refused.
        expect(answered.recall(each) === 1 || answered.isLate(each)).toBe(true);
      }
    }
    expect(answered.isLate(signedAt(39))).toBe(true);
    expect(answered.isLate(signedAt(42))).toBe(false);
    // Another key, and another kind, were not pushed out.
    expect(answered.isLate(signedAt(39, 2))).toBe(false);
    expect(answered.isLate({ ...signedAt(39), fudgeSeconds: 3600 })).toBe(false);
  });

  it('of before the start are late unless they are known, whatever the clock does then', () => {
    const { time, answered } = memory();
    const before = message('before', 300, 1, startedAt - 1);
    expect(answered.isLate(before)).toBe(true);
    expect(answered.isLate({ ...before, createdAt: startedAt * 1000 })).toBe(false);
    expect(answered.isLate(message('new'))).toBe(false);
    time.now += 250_000;
    expect(answered.isLate(before)).toBe(true);
    // It is set back so far that nobody could sign later than the start.
    time.now = (startedAt - 400) * 1000;
    expect(answered.isLate(message('new', 300, 1, startedAt - 400))).toBe(false);
  });

  it('are counted right while they come, end and are given up', () => {
    const { time, answered } = memory(500);
    let seed = 7;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    const recent: SignedMessage[] = [];
    for (let turn = 0; turn < 20_000; turn++) {
      const timeSigned = Math.floor(time.now / 1000) - random(3);
      const one = message(`${turn}`, [300, 3600][random(2)], 1 + random(5), timeSigned);
      answered.keep(one, turn);
      recent.push(one);
      if (random(10) === 0) answered.forget(recent.pop()!);
      if (random(50) === 0) time.now += random(200) * 1000;
    }
    const held = recent.filter((each) => answered.recall(each) !== undefined).length;
    expect(held).toBeGreaterThan(400);
    expect(held).toBeLessThanOrEqual(500);
  });

  it('are told apart whatever their MACs and keys have in common', () => {
    const { answered } = memory(100_000);
    const known = new Map<string, number>();
    const signed = { fudgeSeconds: 300, timeSigned: startedAt, createdAt: 0 };
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
      const one = signedMessage({ id: 1 + random(3), mac, ...signed });
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
