import { createSocket, Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode } from 'dns-packet';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { destinationOf } from '../../spec/support/destination.ts';
import type { Destination } from './policy.ts';
import { freePort } from '../../spec/support/ports.ts';
import { type AnswerChanges, soaAnswer } from '../../spec/support/soa-answer.ts';
import { surveySerials } from './serial-survey.ts';

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** Answers with `serialOf(name, times asked)`: a number, null to refuse, undefined to keep silent. */
async function server(
  serialOf: (name: string, times: number) => number | null | undefined,
  changes: AnswerChanges = {},
): Promise<Destination> {
  const port = await freePort();
  const socket = createSocket('udp4');
  const times = new Map<string, number>();
  socket.on('message', (request, from) => {
    const name = decode(request).questions?.[0]?.name ?? '';
    times.set(name, (times.get(name) ?? 0) + 1);
    const serial = serialOf(name, times.get(name)!);
    if (serial === undefined) return;
    socket.send(soaAnswer(request, serial ?? undefined, changes), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  open.push(socket);
  return destinationOf('127.0.0.1', port);
}

const names = Array.from({ length: 3000 }, (_, index) => `z${index}.example`);
const numberOf = (name: string) => Number(/^z(\d+)/.exec(name)![1]);

it('learns the serials of thousands of zones, with messages lost and zones refused', async () => {
  const target = await server((name, times) => {
    const number = numberOf(name);
    if (number % 7 === 0) return null;
    return number % 500 === 3 && times === 1 ? undefined : number;
  });
  const { serials, answered, error } = await surveySerials(target, names, {
    withinMs: 60_000,
    tryMs: 300,
    // As many as are read in one turn of the event loop: none gets older by those before it.
    inFlight: 32,
  });
  expect([answered, error]).toEqual([3000, null]);
  expect(serials.size).toBe(names.filter((name) => numberOf(name) % 7 !== 0).length);
  for (const [name, serial] of serials) expect(serial).toBe(numberOf(name));
});

it('says who is silent, and who answers only for some', async () => {
  const mute = await server(() => undefined);
  const silent = await surveySerials(mute, names, { withinMs: 60_000, tryMs: 5000 });
  expect(silent).toMatchObject({ answered: 0, error: expect.stringContaining('does not answer') });
  const some = await server((name) => (numberOf(name) < 5 ? 9 : undefined));
  const partly = await surveySerials(some, names.slice(0, 10), { withinMs: 60_000, tryMs: 200 });
  expect(partly).toMatchObject({
    answered: 5,
    error: expect.stringContaining('left 5 questions unanswered'),
  });
});

it('ends at once where nobody listens, and when its time is over', async () => {
  const nobody = destinationOf('127.0.0.1', await freePort());
  const closed = await surveySerials(nobody, names, { withinMs: 60_000 });
  expect(closed.error).toContain('can not be reached');
  const slow = await server((name) => (numberOf(name) === 0 ? 1 : undefined));
  const late = await surveySerials(slow, names, { withinMs: 2500, tryMs: 10_000 });
  expect(late.error).toContain('did not answer for all zones within 2.5 s');
  expect([...late.serials]).toEqual([['z0.example', 1]]);
});

it('asks again in time for what was sent between a stall and the next look', async () => {
  const asked: string[] = [];
  const target = await server((name) => (asked.push(name), asked.length === 2 ? undefined : 7));
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    clock.mockRestore();
    vi.useRealTimers();
  });
  const look = (ms: number) => {
    now += ms;
    vi.advanceTimersToNextTimer();
  };
  const survey = surveySerials(target, names.slice(0, 2), { withinMs: 60_000, inFlight: 1 });
  now = 2000;
  while (asked.length < 2) await new Promise(setImmediate);
  const sending = vi.spyOn(Socket.prototype, 'send');
  onTestFinished(() => sending.mockRestore());
  for (let looks = 0; looks < 21; looks++) look(50);
  const { length: sentAgain } = sending.mock.calls;
  // If it was not asked again, its time is over.
  if (sentAgain === 0) look(60_000);
  expect(await survey).toEqual({
    serials: new Map(names.slice(0, 2).map((name) => [name, 7])),
    answered: 2,
    error: null,
  });
  expect(sentAgain).toBe(1);
});

it('learns nothing of an SOA of another class', async () => {
  const target = await server(() => 7, { chaosBytes: 0 });
  const result = await surveySerials(target, names.slice(0, 10), { withinMs: 60_000 });
  expect(result).toEqual({ serials: new Map(), answered: 10, error: null });
});
