/** Webhooks over kill -9: each event comes, in order, and at least once; how far they got is kept. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { runs } from '../support/stored-zones.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

it('invariant 5: webhooks lose no event by kill -9, with a receiver that fails', async () => {
  const receiver = await WebhookReceiver.start();
  await using service = await startService();
  receiver.behave = async (count) => {
    if (count % 7 === 3) return count % 2 === 0 ? 500 : 'cut';
    if (count % 5 === 0) await delay(30);
    return 204;
  };
  await service.must('POST', '/zones', { ...soa, name: 'a.example' });
  await service.must('POST', '/webhooks', { name: 'chat', url: receiver.url, from_seq: 1 });
  for (let round = 0; round < runs(2); round++) {
    // Settled from the start: some fail while nobody waits for them.
    const added = Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => {
        const record = { name: `r${round}-${index}`, type: 'A', value: '192.0.2.1' };
        return service.call('POST', '/records', { zone_name: 'a.example', ...record });
      }),
    );
    await delay(Math.random() * 1500);
    await service.end('SIGKILL');
    await added;
    await service.start();
  }
  const events = await service.must('GET', '/events?limit=1000&order=asc');
  const seqs = events.items.map(({ seq }: { seq: number }) => seq);
  await receiver.until(() => receiver.accepted.at(-1) === seqs.at(-1));
  const { accepted } = receiver;
  // What comes again begins with one that came before: none is ever left out.
  for (const [index, seq] of accepted.entries()) {
    expect(seq - (accepted[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  }
  expect([...new Set(accepted)].sort((one, other) => one - other)).toEqual(seqs);

  // A stop that is not sudden writes how far it got: nothing comes again.
  const before = receiver.received.length;
  await service.end();
  await service.start();
  await service.must('POST', '/zones', { ...soa, name: 'b.example' });
  await receiver.until(() => receiver.accepted.at(-1) === seqs.at(-1)! + 1);
  const again = receiver.received.slice(before).map(({ body }) => JSON.parse(body).seq);
  expect(new Set(again)).toEqual(new Set([seqs.at(-1)! + 1]));
  await receiver.close();
});
