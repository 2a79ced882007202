import { expect, it, vi } from 'vitest';
import { absolute, memoryNodes, memoryZone } from '../../spec/support/memory-zones.ts';
import { rrtype } from '../dns/rrtype.ts';
import { limits } from '../base/limits.ts';
import { findAnsweringZone, lookup } from './lookup.ts';

/** Asks one zone; `looked` are the records that were read for it. */
function askOf(lines: readonly string[]) {
  const nodes = memoryNodes([memoryZone('example.com', lines.join('\n'))]);
  const read = vi.spyOn(nodes, 'node');
  return (name: string, type: number) => {
    read.mockClear();
    const zone = findAnsweringZone(nodes, absolute(name), type)!;
    const answer = lookup(nodes, zone, absolute(name), type, false);
    const looked = read.mock.results.reduce((sum, { value }) => sum + value.length, 0);
    return { ...answer, reads: read.mock.calls.length, looked };
  };
}

/** A zone whose mail goes to, and whose delegation is served by, so many names with so many addresses each. */
function ask(names: number, addresses: number) {
  const lines: string[] = [];
  for (let index = 0; index < names; index++) {
    lines.push(`@ MX 1 t${index}.example.com.`, `sub NS t${index}.sub.example.com.`);
    for (let last = 0; last < addresses; last++) {
      const address = `A 192.0.${last >> 8}.${last & 255}`;
      lines.push(`t${index} ${address}`, `t${index}.sub ${address}`);
    }
  }
  return askOf(lines);
}

it('an answer that leads to many names has the addresses of the first', () => {
  const { answers, additionals, reads } = ask(500, 1)('example.com.', rrtype.MX);
  expect(answers[0]!.rdatas).toHaveLength(500);
  expect(additionals).toHaveLength(32);
  expect(reads).toBeLessThan(40);
});

it('an answer that leads to names with many records looks at no more than some', () => {
  const { additionals, looked } = ask(20, 300)('example.com.', rrtype.MX);
  expect(additionals).toHaveLength(4);
  expect(looked).toBeLessThan(1500);
});

it('a referral has all glue that a message has room for, and says where there is more', () => {
  const most = ask(400, 1)('x.sub.example.com.', rrtype.A);
  expect(most.glue).toHaveLength(400);
  expect(most.lacksGlue).toBe(false);
  const { glue, lacksGlue, looked } = ask(40, 200)('x.sub.example.com.', rrtype.A);
  expect(lacksGlue).toBe(true);
  expect(glue.flatMap(({ rdatas }) => rdatas).length * 16).toBeGreaterThan(limits.messageBytes);
  expect(looked).toBeLessThan(5000);
});

const many = Array.from({ length: 250 }, (_, index) => `A 192.0.2.${index}`);

it('the records of the names above the one that is asked for are not read', () => {
  const lines = Array.from({ length: 50 }, (_, depth) =>
    many.slice(0, 20).map(
      (value) =>
        `${Array(depth + 1)
          .fill('a')
          .join('.')} ${value}`,
    ),
  );
  const name = `${Array(50).fill('a').join('.')}.example.com.`;
  const { answers, looked } = askOf(lines.flat())(name, rrtype.A);
  expect(answers[0]!.rdatas).toHaveLength(20);
  expect(looked).toBeLessThan(100);
});

it('a chain ends where the names on its way hold too many records', () => {
  const chain = (values: readonly string[]) =>
    Array.from({ length: 10 }, (_, step) => [
      `d${step} DNAME d${step + 1}.example.com.`,
      ...values.map((value) => `d${step} ${value}`),
    ]).flat();
  const aliases = (values: readonly string[]) => {
    const { answers } = askOf(chain(values))('x.d0.example.com.', rrtype.A);
    return answers.filter(({ type }) => type === rrtype.CNAME).length;
  };
  expect(aliases(['A 192.0.2.1'])).toBe(10);
  const texts = Array.from({ length: 750 }, (_, index) => `TXT ${index}`);
  expect(aliases([...many, ...texts])).toBe(5);
});
