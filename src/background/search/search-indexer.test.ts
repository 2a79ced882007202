import { expect, it, vi } from 'vitest';
import { SearchIndexer, type SearchServices } from './search-indexer.ts';

it('forgets no more of a large zone that was purged when the service stops', async () => {
  const operate = vi.fn(async ({ kind }: { kind: string }) => {
    if (operate.mock.calls.length === 2) void indexer.stop();
    return kind === 'forget-search-index' ? operate.mock.calls.length < 10 : [];
  });
  const job = {
    isThere: true,
    call: async () => ({ progress: { followed: 1, zoneId: null, recalled: 1 }, last: 2 }),
    async *stream() {
      yield { purged: 1, batch: {} };
    },
    release: () => {},
  };
  const services = {
    writer: { operate, onCommit: () => {} },
    workers: { open: () => job },
    log: { error: (...line: unknown[]) => expect.fail(line.join(' ')) },
  };
  const indexer = new SearchIndexer(services as unknown as SearchServices);
  await indexer.run();
  // Nothing of the batch is written: it is followed from the same event after the next start.
  expect(operate.mock.calls.map(([{ kind }]) => kind)).toEqual(
    Array(2).fill('forget-search-index'),
  );
  await indexer.stop();
});

it('goes on with the next zone after a stop that came before its first part', async () => {
  const operate = vi.fn();
  const job = {
    isThere: true,
    call: async () => ({ progress: { followed: 2, zoneId: 1, recalled: 1 }, last: 2 }),
    async *stream() {
      void indexer.stop();
      yield { batch: {} };
    },
    release: () => {},
  };
  const services = { writer: { operate, onCommit: () => {} }, workers: { open: () => job } };
  const indexer = new SearchIndexer(services as unknown as SearchServices);
  await indexer.run();
  // The next start finds the index where it was: some zones are not in it yet.
  expect(operate).not.toHaveBeenCalled();
  await indexer.stop();
});
