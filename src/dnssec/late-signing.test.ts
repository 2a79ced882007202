import { createPublicKey, verify } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { generateKey, type KeyPair, type Signer } from './key-pair.ts';
import { LateSigning } from './late-signing.ts';
import { nobleVerifier, type Verifier } from './noble.ts';

const opened: LateSigning[] = [];
afterEach(() => {
  for (const late of opened.splice(0)) late.close();
});

function open(threads = 2): LateSigning {
  const late = new LateSigning(threads);
  opened.push(late);
  return late;
}

function dataOf(number: number, bytes = 150): Buffer {
  const data = Buffer.alloc(bytes, number & 0xff);
  data.writeUInt32BE(number);
  return data;
}

/** Orders signatures over `count` different data; they may be looked at after `join`. */
function order(late: LateSigning, signer: Signer, count: number, bytes?: number) {
  const orders = Array.from({ length: count }, (_, number) => ({
    data: dataOf(number, bytes),
    signature: Buffer.alloc(signer.signLater!.bytes),
  }));
  late.during(() => {
    for (const { data, signature } of orders) signer.signLater!.into(signature, data);
  });
  return orders;
}

function isGood({ privateKey }: KeyPair, hash: string | null, data: Buffer, signature: Buffer) {
  const key = createPublicKey(privateKey);
  return hash === null
    ? verify(null, data, key, signature)
    : verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

describe('late signatures', () => {
  it('are made though the thread is given back before the join', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const late = open();
      const signer = late.signerOf(pair);
      order(late, signer, 20);
      late.join();
      const orders = order(late, signer, 20);
      // A commit may be gathered for longer than a turn of the event loop.
      vi.advanceTimersByTime(60_000);
      late.join();
      for (const { data, signature } of orders) {
        expect(isGood(pair, 'sha256', data, signature)).toBe(true);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [13, 'sha256'],
    [14, 'sha384'],
    [15, null],
  ] as const)(
    'algorithm %i: are there after the join, many times over',
    async (algorithm, hash) => {
      const pair = await generateKey(algorithm, true, [], nobleVerifier);
      const late = open();
      const signer = late.signerOf(pair);
      // The first commit is signed on the spot, the second while the thread starts, the last with it.
      for (const count of [20, 20, algorithm === 14 ? 30 : 700, 40]) {
        const orders = order(late, signer, count);
        late.join();
        for (const { data, signature } of orders) {
          expect(isGood(pair, hash, data, signature)).toBe(true);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  );

  it('are made by the thread once it runs', async () => {
    const pair = await generateKey(15, true, [], nobleVerifier);
    const late = open();
    const signer = late.signerOf(pair);
    order(late, signer, 20);
    late.join();
    const { signature } = order(late, signer, 1)[0]!;
    // Nothing is there before the join, whoever made it.
    expect(signature.every((byte) => byte === 0)).toBe(true);
    late.join();
    expect(signature.every((byte) => byte === 0)).toBe(false);
  });

  it('that are too long for the shared memory are made on the spot', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open();
    const signer = late.signerOf(pair);
    order(late, signer, 20);
    late.join();
    const orders = order(late, signer, 3, 5000);
    for (const { data, signature } of orders) {
      expect(isGood(pair, 'sha256', data, signature)).toBe(true);
    }
  });

  it('are made on the spot where one thread runs at a time, and outside of `during`', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open(1);
    const signer = late.signerOf(pair);
    for (let round = 0; round < 2; round++) {
      for (const { data, signature } of order(late, signer, 20)) {
        expect(isGood(pair, 'sha256', data, signature)).toBe(true);
      }
      late.join();
    }
    const signature = Buffer.alloc(64);
    signer.signLater!.into(signature, dataOf(1));
    expect(isGood(pair, 'sha256', dataOf(1), signature)).toBe(true);
  });

  it('are dropped with their commit, and the next ones are right', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open();
    const signer = late.signerOf(pair);
    order(late, signer, 20);
    late.join();
    order(late, signer, 30);
    late.forget();
    const orders = order(late, signer, 30);
    late.join();
    for (const { data, signature } of orders) {
      expect(isGood(pair, 'sha256', data, signature)).toBe(true);
    }
  });

  it('that can not be made fail the join, and the next commit is as good as ever', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open();
    const signer = late.signerOf(pair);
    order(late, signer, 20);
    late.join();
    for (let round = 0; round < 40; round++) {
      // Neither the thread nor this one can sign with the public half.
      const broken = late.signerOf({ ...pair, privateKey: createPublicKey(pair.privateKey) });
      order(late, signer, 9);
      order(late, broken, 1);
      order(late, signer, 9);
      if (round % 2 === 0) expect(() => late.join()).toThrow();
      late.forget();
      const orders = order(late, signer, 12);
      late.join();
      for (const { data, signature } of orders) {
        expect(isGood(pair, 'sha256', data, signature)).toBe(true);
      }
    }
  });

  it('of a pass are made by several threads, and joined as far as it has come', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open(4);
    late.beginPass();
    const signer = late.signerOf(pair);
    const groups: { readonly ordered: number; readonly orders: ReturnType<typeof order> }[] = [];
    for (let round = 0; round < 20; round++) {
      const orders = Array.from({ length: 100 }, (_, number) => {
        const data = dataOf(100 * round + number);
        const signature = Buffer.alloc(signer.signLater!.bytes);
        signer.signLater!.into(signature, data);
        return { data, signature };
      });
      groups.push({ ordered: late.ordered, orders });
      if (groups.length < 4) continue;
      const { ordered, orders: first } = groups.shift()!;
      late.join(ordered);
      for (const { data, signature } of first) {
        expect(isGood(pair, 'sha256', data, signature)).toBe(true);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    late.join();
    for (const { data, signature } of groups.flatMap(({ orders }) => orders)) {
      expect(isGood(pair, 'sha256', data, signature)).toBe(true);
    }
  });

  it('go on when the thread is gone', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open();
    const signer = late.signerOf(pair);
    order(late, signer, 20);
    late.join();
    late.close();
    const orders = order(late, signer, 20);
    late.join();
    for (const { data, signature } of orders) {
      expect(isGood(pair, 'sha256', data, signature)).toBe(true);
    }
  });
});

describe('the second opinion on late signatures', () => {
  function suspicious(): { opinion: Verifier; asked: () => number; say(good: boolean): void } {
    let asked = 0;
    let answer = true;
    const opinion: Verifier = {
      ...nobleVerifier,
      verify: () => {
        asked++;
        return answer;
      },
    };
    return {
      opinion,
      asked: () => asked,
      say: (good) => {
        answer = good;
      },
    };
  }

  it('is asked by the join, of one of a commit, and its no is said until the commit is dropped', () => {
    const late = open();
    const { opinion, asked, say } = suspicious();
    const paced = late.verifierOf(opinion);
    const nothing = Buffer.alloc(0);
    late.during(() => {
      expect(paced.isDue!()).toBe(true);
      expect(paced.verify(13, nothing, nothing, nothing)).toBe(true);
      expect(paced.isDue!()).toBe(false);
    });
    expect(asked()).toBe(0);
    say(false);
    for (let times = 0; times < 2; times++) {
      expect(() => late.join()).toThrow(/does not verify/);
    }
    expect(asked()).toBe(1);
    late.forget();
    late.join();
    expect(paced.isDue!()).toBe(true);
  });

  it('is asked of all of a pass that are due, each when its signature is joined', async () => {
    const pair = await generateKey(13, true, [], nobleVerifier);
    const late = open();
    late.beginPass();
    const { opinion, asked, say } = suspicious();
    const sampled = late.verifierOf(opinion);
    const signer = late.signerOf(pair);
    const ends: number[] = [];
    for (let times = 0; times < 3; times++) {
      const signature = Buffer.alloc(64);
      signer.signLater!.into(signature, dataOf(times));
      expect(sampled.isDue!()).toBe(true);
      expect(sampled.verify(13, pair.dnskey, dataOf(times), signature)).toBe(true);
      ends.push(late.ordered);
    }
    late.join(ends[0]);
    expect(asked()).toBe(1);
    say(false);
    expect(() => late.join(ends[1])).toThrow(/does not verify/);
    expect(asked()).toBe(2);
  });

  it('is asked at once where signatures are not late', () => {
    const late = open();
    const { opinion, asked, say } = suspicious();
    say(false);
    const nothing = Buffer.alloc(0);
    expect(late.verifierOf(opinion).verify(13, nothing, nothing, nothing)).toBe(false);
    expect(asked()).toBe(1);
  });
});
