import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { AnswerRoom } from './answer-room.ts';

const room = new AnswerRoom(1_000_000);
const answer = (length: number) => {
  return { status: 200, mediaType: 'text/plain', body: 'x'.repeat(length) };
};

/** Holds an answer; returns what ends it. */
function hold(owner: string, length: number, isRead = true): () => void {
  const outgoing = Object.assign(new EventEmitter(), { destroyed: false });
  const asked = { owner, isRead, outgoing: outgoing as unknown as ServerResponse };
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
  for (const end of ends) end();
  expect(room.held).toBe(0);
});

it('holds what can not be refused, and then nothing further', () => {
  room.requireRoom('a');
  const ends = [hold('a', 400_000, false), hold('a', 400_000, false)];
  expect(() => room.requireRoom('a')).toThrow(overloaded);
  room.requireRoom('b');
  ends.push(hold('b', 400_000, false));
  expect(() => room.requireRoom('c')).toThrow(overloaded);
  for (const end of ends) end();
  room.requireRoom('a');
  expect(room.held).toBe(0);
});

it('holds nothing for a client that left, and one larger than all', () => {
  const left = { destroyed: true } as ServerResponse;
  room.hold(answer(100_000), { owner: 'a', outgoing: left, isRead: true });
  expect(room.held).toBe(0);
  const end = hold('a', 2_000_000);
  expect(() => room.requireRoom('b')).toThrow(overloaded);
  end();
  expect(room.held).toBe(0);
});
