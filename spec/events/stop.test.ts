/** A stop of the service ends streams that are open: none of them is cut off, and it waits for none. */
import { get } from 'node:http';
import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';

it('a stop ends open streams as they should end', async () => {
  await using service = await startService();
  const streams = [0, 1, 2].map(
    () =>
      new Promise<() => Promise<boolean>>((resolve) => {
        get({ port: service.apiPort, path: '/events/stream' }, (response) => {
          response.resume();
          const closed = new Promise<boolean>((done) => {
            response.on('close', () => done(response.complete));
          });
          resolve(() => closed);
        });
      }),
  );
  const open = await Promise.all(streams);
  expect(await service.end('SIGTERM')).toBe(0);
  expect(await Promise.all(open.map((ended) => ended()))).toEqual([true, true, true]);
  await expect.poll(() => service.output).toMatch(/service\.stopped.* graceful=true/);
});
