import { describe, expect, it, vi } from 'vitest';
import {
  arrayPieces,
  begun,
  bodiless,
  bracketed,
  JsonText,
  json,
  objectPieces,
  type Piece,
  responseOf,
  streamed,
} from './answer.ts';
import { onceReached } from './propagation.ts';

const answer = (body: string | AsyncIterable<Piece>) => ({
  status: 200,
  mediaType: 'text/plain',
  body,
  headers: { ETag: '"1-2"' },
});
const unbroken = () => expect.unreachable();

/** Pieces that say when they were let go. */
function watched(pieces: Piece[], failure?: Error) {
  const state = { ended: false };
  async function* made(): AsyncGenerator<Piece> {
    try {
      yield* pieces;
      if (failure !== undefined) throw failure;
    } finally {
      state.ended = true;
    }
  }
  return { state, pieces: made() };
}

describe('answers in pieces', () => {
  it.each(['the end', 'a failure'])(
    'are not broken off where the client leaves while a piece is waited for: %s comes',
    async (what) => {
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Piece>>();
      const asked = Promise.withResolvers<void>();
      const pieces: AsyncIterableIterator<Piece> = {
        next() {
          asked.resolve();
          return promise;
        },
        async return() {
          if (what === 'the end') resolve({ done: true, value: undefined });
          else reject(new Error('the job was given up'));
          return { done: true, value: undefined };
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
      const broken: unknown[] = [];
      const { body } = responseOf(answer(pieces), 'id', (error) => broken.push(error));
      const reader = body!.getReader();
      const read = reader.read();
      await asked.promise;
      await reader.cancel();
      expect(await read).toEqual({ done: true, value: undefined });
      await new Promise((passed) => setImmediate(passed));
      expect(broken).toEqual([]);
    },
  );

  it('are whole when they are short', async () => {
    expect(await begun(watched(['a', Buffer.from('ö'), 'b']).pieces)).toBe('aöb');
    expect(await begun(watched([]).pieces)).toBe('');
  });

  it('refuse before anything is sent', async () => {
    await expect(begun(watched(['a'], new Error('no')).pieces)).rejects.toThrow('no');
  });

  it('send texts and bytes in order', async () => {
    const long = 'x'.repeat(70_000);
    const given = [long, Buffer.from('bytes'), 'ö', long, Buffer.from(long)];
    const body = await begun(watched(given).pieces);
    expect(typeof body).toBe('object');
    const response = responseOf(answer(body as AsyncIterable<Piece>), 'id', unbroken);
    expect(await response.text()).toBe(`${long}bytesö${long}${long}`);
  });

  it('send long bytes in parts, so that a connection copies no more at once', async () => {
    const long = Buffer.alloc(150_000, 'x');
    const response = responseOf(
      answer(watched([long, Buffer.from(''), long]).pieces),
      'id',
      unbroken,
    );
    const sizes: number[] = [];
    for await (const { length } of response.body!) sizes.push(length);
    expect(sizes).toEqual([65_536, 65_536, 18_928, 0, 65_536, 65_536, 18_928]);
  });

  it('are cut off, and told of, when they fail in the middle', async () => {
    const { pieces } = watched(['x'.repeat(70_000), 'y'.repeat(70_000)], new Error('half-way'));
    const broken: unknown[] = [];
    const body = (await begun(pieces)) as AsyncIterable<Piece>;
    const response = responseOf(answer(body), 'id', (error) => void broken.push(error));
    await expect(response.text()).rejects.toThrow();
    expect(String(broken[0])).toContain('half-way');
  });

  it('are let go when nobody reads on', async () => {
    const { state, pieces } = watched(Array.from({ length: 9 }, () => 'x'.repeat(70_000)));
    const body = (await begun(pieces)) as AsyncIterable<Piece>;
    const response = responseOf(answer(body), 'id', unbroken);
    await response.body!.cancel();
    expect(state.ended).toBe(true);
  });

  /** Pieces of what a worker does, which nobody but who lets them go ends. */
  function ofWorker() {
    const end = vi.fn(async () => ({ done: true as const, value: undefined }));
    const next = vi.fn(async () => ({ done: false as const, value: 'x'.repeat(70_000) }));
    const pieces: AsyncIterableIterator<Piece> = {
      next,
      return: end,
      [Symbol.asyncIterator]: () => pieces,
    };
    return { pieces, next, end };
  }

  it('are let go, not begun, when a write has waited for its secondaries', async () => {
    const { pieces, next, end } = ofWorker();
    const allReach = async () => true;
    const services = { propagation: { allReach } } as unknown as Parameters<typeof onceReached>[3];
    const zones = [{ enabled: true } as Parameters<typeof onceReached>[1][number]];
    const exchange = { ended: () => undefined, owner: 'nobody' };
    const waited = await onceReached(answer(pieces), zones, 1, services, exchange, unbroken);
    await responseOf(waited, 'id', unbroken).body!.cancel();
    expect(next).not.toHaveBeenCalled();
    expect(end).toHaveBeenCalled();
  });

  it('are let go when they fail', async () => {
    const { pieces, next, end } = ofWorker();
    next.mockRejectedValueOnce(new Error('half-way'));
    const response = responseOf(answer(pieces), 'id', () => {});
    await expect(response.text()).rejects.toThrow('half-way');
    expect(end).toHaveBeenCalled();
  });

  it.each([
    ['a member', (pieces: AsyncIterable<Piece>) => bracketed(pieces)],
    [
      'a member of a member',
      (pieces: AsyncIterable<Piece>) =>
        objectPieces({ entries: new JsonText(bracketed(pieces)), summary: {} }),
    ],
  ])('are let go where %s was not reached', async (_, within) => {
    const { pieces, next, end } = ofWorker();
    const value = { long: 'x'.repeat(70_000), diff: new JsonText(within(pieces)) };
    const reader = responseOf(await streamed(200, value), 'id', unbroken).body!.getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
    expect(next).not.toHaveBeenCalled();
    expect(end).toHaveBeenCalled();
  });

  it('are let go when the answer has no body', async () => {
    for (const status of [200, 304]) {
      const { state, pieces } = watched(Array.from({ length: 9 }, () => 'x'.repeat(70_000)));
      const body = (await begun(pieces)) as AsyncIterable<Piece>;
      const response = bodiless(answer(body), status, 'id');
      await new Promise((resolve) => setImmediate(resolve));
      expect([response.status, response.body, state.ended]).toEqual([status, null, true]);
      expect(response.headers.get('etag')).toBe('"1-2"');
      expect(response.headers.get('content-type')).toBe(status === 304 ? null : 'text/plain');
    }
  });
});

describe('JSON of texts', () => {
  const texts = (items: readonly number[]) => arrayPieces([items, [], [7]], String);
  const many = Array.from({ length: 5000 }, (_, index) => index);

  it('is what printing the values would give, whole or streamed', async () => {
    for (const items of [[], [1, 2], many]) {
      const list = new JsonText(texts(items));
      const inner = new JsonText(objectPieces({ list, a: 'b', left: undefined }));
      const answer = await streamed(200, { inner, ready: new JsonText('[1]'), n: null });
      const sent = await responseOf(answer, 'id', () => {}).text();
      const value = { inner: { list: [...items, 7], a: 'b' }, ready: [1], n: null };
      expect(sent).toBe(JSON.stringify(value));
    }
    const whole = { ready: new JsonText('{}'), left: undefined, a: ['b'] };
    expect(json(200, whole).body).toBe('{"ready":{},"a":["b"]}');
    expect(json(200, {}).body).toBe('{}');
    expect(await responseOf(await streamed(200, {}), 'id', () => {}).text()).toBe('{}');
  });

  it('is not made whole of pieces', () => {
    expect(() => json(200, { list: new JsonText(texts([])) })).toThrow('is streamed');
  });
});
