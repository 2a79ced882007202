import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Problem } from '../base/problem.ts';
import { type BodyShare, BodyRoom } from './body-room.ts';

const total = 1_000_000;
const small = 65_536;

/** The code of what is thrown, if anything is. */
function codeOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
    return error.code;
  }
}

it('one body may have it all; a second of the same caller half, with the first', () => {
  const room = new BodyRoom(total);
  const alone = room.shareFor('a');
  alone.reserve(total);
  expect(room.held).toBe(total);
  expect(codeOf(() => room.shareFor('b').reserve(small + 1))).toBe('OVERLOADED');
  room.shareFor('b').reserve(small);
  alone[Symbol.dispose]();
  alone[Symbol.dispose]();
  expect(room.held).toBe(0);

  room.shareFor('a').reserve(150_000);
  expect(codeOf(() => room.shareFor('a').reserve(100_001))).toBe('OVERLOADED');
  room.shareFor('a').reserve(100_000);
  room.shareFor('b').reserve(250_000);
  expect(codeOf(() => room.shareFor('c').reserve(100_000))).toBe('OVERLOADED');
});

it('a body counts for what is made of it, but never for more than there is', () => {
  const large = 95_000_000;
  const room = new BodyRoom(268_435_456);
  const place = room.shareFor('a');
  place.reserve(large);
  expect(room.held).toBe(2.5 * large);
  expect(codeOf(() => room.shareFor('b').reserve(large))).toBe('OVERLOADED');
  room.shareFor('b').reserve(15_000_000);
  place[Symbol.dispose]();
  expect(room.held).toBe(30_000_000);
  const tight = new BodyRoom(large);
  tight.shareFor('a').reserve(large);
  expect(tight.held).toBe(large);
});

it('what is held is what a list of bodies says, whoever comes and goes', () => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.nat(total),
    ends: fc.boolean(),
    which: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const room = new BodyRoom(total);
      const bodies: { owner: string; room: number; place: BodyShare }[] = [];
      const sum = (owner?: string) =>
        bodies
          .filter((body) => owner === undefined || body.owner === owner)
          .reduce((held, body) => held + body.room, 0);
      for (const { owner, bytes, ends, which } of steps) {
        const grown = bodies[which];
        if (ends && grown !== undefined) {
          grown.place[Symbol.dispose]();
          bodies.splice(which, 1);
        } else {
          const body = grown ?? { owner, room: 0, place: room.shareFor(owner) };
          const wanted = Math.min(2 * bytes, total);
          const takes = bytes > small && wanted > body.room;
          const more = takes ? wanted - body.room : 0;
          const others = sum(body.owner) - body.room;
          const isRefused =
            takes && (sum() + more > total || (others > 0 && sum(body.owner) + more > total / 2));
          expect(codeOf(() => body.place.reserve(bytes)) !== undefined).toBe(isRefused);
          if (!isRefused) body.room += more;
          if (grown === undefined) bodies.push(body);
        }
        expect(room.held).toBe(sum());
      }
    }),
  );
});
