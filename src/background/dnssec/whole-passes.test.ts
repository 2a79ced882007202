import { expect, it, vi } from 'vitest';
import { ServiceStops } from '../../base/problem.ts';
import { bySystem } from '../../writer/submission.ts';
import { type WholePass, WholePassNeeded } from '../../writer/zone-signer.ts';
import { WholePasses, type WholePassServices } from './whole-passes.ts';

type Taking = { take(slice: unknown): Promise<unknown> };

it('a pass ends with its next slice when the service stops, and lets go of the stage and the zone', async () => {
  const release = vi.fn();
  const put = vi.fn(async () => {
    if (put.mock.calls.length === 3) passes.stop();
  });
  const writer = {
    submit: () => Promise.reject(new WholePassNeeded(whole as unknown as WholePass)),
    operate: ({ kind }: { kind: string }) => (kind === 'put-slice' ? put() : { number: 7 }),
    endStage: vi.fn(),
    hold: async () => release,
    sendKeys: () => {},
  };
  const whole = { zoneId: 1, zoneName: 'a.example', added: [], removed: [] };
  const job = {
    async call(_method: string, _order: unknown, { take }: Taking) {
      for (let slice = 0; slice < 10; slice++) await take({});
      throw new Error('all of it was made');
    },
    end: vi.fn(),
  };
  const services = {
    writer,
    workers: { open: () => job },
    renewed: async (command: unknown) => command,
    signed: () => {},
  };
  const passes = new WholePasses(services as unknown as WholePassServices);
  const command = { kind: 'sign-zone', zoneName: 'a.example', reason: 'cds-published' } as const;
  const run = passes.run(command, bySystem);
  await expect(run).rejects.toMatchObject({ code: 'OVERLOADED' });
  await expect(run).rejects.toBeInstanceOf(ServiceStops);
  expect(put).toHaveBeenCalledTimes(3);
  expect(job.end).toHaveBeenCalledOnce();
  expect(writer.endStage).toHaveBeenCalledExactlyOnceWith(7);
  expect(release).toHaveBeenCalledOnce();
});
