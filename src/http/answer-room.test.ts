import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { AnswerRoom } from './answer-room.ts';

const room = new AnswerRoom(1_000_000);
const answer = (length: number) => {
  return { status: 200, mediaType: 'text/plain', body: 'x'.repeat(length) };
};

/** Holds an answer; returns what ends it. */
function hold(owner: string, length: number, canBeRefused = true): () => void {
  const outgoing = Object.assign(new EventEmitter(), { destroyed: false });
  const asked = { owner, canBeRefused, outgoing: outgoing as unknown as ServerResponse };
  room.hold(answer(length), asked);
  return () => void outgoing.emit('close');
}

const overloaded = expect.objectContaining({ code: 'OVERLOADED', retryAfterSeconds: 5 });

it('holds large answers until they are taken, half of the room for one caller', () => {
  const small = hold('a', 65_536);
  expect(room.held).toBe(0);
  const ends = [small, hold('a', 300_000), hold('a', 300_000)];
  expect(() => hold('a', 100_000)).toThrow(overloaded);
  ends.push(hold('b', 600_000));
  expect(() => hold('c', 200_000)).toThrow(overloaded);
  // What is small, and who holds nothing, goes on.
  hold('c', 65_536);
  room.requireShare('c');
  for (const end of ends) end();
  expect(room.held).toBe(0);
});

it('holds what can not be refused, and asks no more of whoever has half of it', () => {
  room.requireShare('a');
  const ends = [hold('a', 400_000, false), hold('a', 400_000, false)];
  expect(() => room.requireShare('a')).toThrow(overloaded);
  room.requireShare('b');
  ends.push(hold('b', 400_000, false));
  expect(() => hold('c', 100_000)).toThrow(overloaded);
  for (const end of ends) end();
  room.requireShare('a');
  expect(room.held).toBe(0);
});

it('holds nothing for a client that left, and one larger than all', () => {
  const left = { destroyed: true } as ServerResponse;
  room.hold(answer(100_000), { owner: 'a', outgoing: left, canBeRefused: true });
  expect(room.held).toBe(0);
  const end = hold('a', 2_000_000);
  expect(() => hold('b', 100_000)).toThrow(overloaded);
  end();
  expect(room.held).toBe(0);
});
