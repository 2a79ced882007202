import { expect, it, onTestFinished, vi } from 'vitest';
import { openStoredZones, record } from '../../spec/support/stored-zones.ts';
import { ReadingJob } from './reading-job.ts';

it('keeps what is left for slow readers of eight streams, and ends the one that took nothing for longest', async () => {
  const stored = openStoredZones({ durable: false });
  onTestFinished(() => stored.close());
  const zone = await stored.zone('example.com');
  await stored.add('example.com', record('www', 'A', '192.0.2.1'));
  using job = new ReadingJob(stored.file);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const now = stored.zones.byName(zone.name)!;
  const read = (number: number) => {
    const texts: string[] = [];
    const goes = Promise.withResolvers<void>();
    const parts = {
      send(part: unknown) {
        texts.push(String(part));
        return goes.promise;
      },
    };
    const asked = { name: 'exportText', rights: undefined, args: [now, undefined, false] };
    const end = job.stream(asked, parts).then(
      () => texts.join(''),
      (error: Error) => `${number}: ${error.message}`,
    );
    return { take: goes.resolve, end };
  };
  const readers = Array.from({ length: 9 }, (_, number) => read(number));
  vi.advanceTimersByTime(50_000);
  for (const { take } of readers) take();
  const [first, ...others] = await Promise.all(readers.map(({ end }) => end));
  expect(first).toMatch('0: the reader of an answer was too slow');
  for (const text of others) expect(text).toMatch(/^www\s.*192\.0\.2\.1$/m);
});
