import { describe, expect, it } from 'vitest';
import { MemoryHistory } from '../../spec/support/memory-history.ts';
import { absolute, memoryNodes, memoryZone } from '../../spec/support/memory-zones.ts';
import type { NameKey } from '../dns/name.ts';
import type { NodeSource } from './answer.ts';
import { cacheNodes } from './node-cache.ts';

function setup(maxBytes?: number) {
  const history = new MemoryHistory(memoryZone('example.com', 'www A 192.0.2.1\na.b A 192.0.2.2'));
  const nodes = memoryNodes([history]);
  let reads = 0;
  const counting: NodeSource = {
    ...nodes,
    node: (id, owner) => {
      reads++;
      return nodes.node(id, owner);
    },
    hasBelow: (id, owner) => {
      reads++;
      return nodes.hasBelow(id, owner);
    },
    ownerUpTo: (id, owner) => {
      reads++;
      return nodes.ownerUpTo(id, owner);
    },
  };
  const cached = cacheNodes(counting, maxBytes);
  const read = (owner: string) => {
    const zone = cached.findZone(absolute('www.example.com'))!;
    return cached.node(zone.id, owner as NameKey).map(({ rdata }) => rdata.join('.'));
  };
  const below = (owner: string) =>
    cached.hasBelow(cached.findZone(absolute('example.com'))!.id, owner as NameKey);
  const upTo = (owner: string) =>
    cached.ownerUpTo(cached.findZone(absolute('example.com'))!.id, owner as NameKey);
  return { history, read, below, upTo, reads: () => reads };
}

describe('the cache of nodes', () => {
  it('reads a node once for one serial', () => {
    const { read, below, reads } = setup();
    for (let round = 0; round < 3; round++) {
      expect(read('www\0')).toEqual(['192.0.2.1']);
      expect(read('nothing\0')).toEqual([]);
      expect([below('b\0'), below('www\0')]).toEqual([true, false]);
    }
    expect(reads()).toBe(4);
  });

  it('shows every change with the next look-up', () => {
    const { history, read, below } = setup();
    expect([read('www\0'), below('www\0')]).toEqual([['192.0.2.1'], false]);
    history.change({
      removed: ['www A 192.0.2.1'],
      added: ['www A 192.0.2.9', 'x.www A 192.0.2.8'],
    });
    expect([read('www\0'), below('www\0')]).toEqual([['192.0.2.9'], true]);
  });

  it('keeps who stands before a name as long', () => {
    const { history, upTo, reads } = setup();
    for (let round = 0; round < 3; round++) expect(upTo('c\0')).toBe('b\0a\0');
    expect(reads()).toBe(1);
    history.change({ removed: [], added: ['bb A 192.0.2.8'] });
    expect(upTo('c\0')).toBe('bb\0');
    expect(upTo('a\0')).toBeUndefined();
  });

  it('starts anew when it is full, and answers the same', () => {
    const { read, reads } = setup(2000);
    for (let round = 0; round < 100; round++) expect(read(`n${round}\0`)).toEqual([]);
    // The read that finds the cache full empties it; one of the next two is kept.
    for (let round = 0; round < 2; round++) expect(read('www\0')).toEqual(['192.0.2.1']);
    const before = reads();
    expect(read('www\0')).toEqual(['192.0.2.1']);
    expect(reads()).toBe(before);
    const tiny = setup(10);
    expect(tiny.read('www\0')).toEqual(['192.0.2.1']);
    expect(tiny.read('www\0')).toEqual(['192.0.2.1']);
  });
});
