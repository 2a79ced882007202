import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStoredZones, temporaryFolder } from '../../spec/support/stored-zones.ts';
import { ReadingThread } from './reading-thread.ts';
import { fullRights } from '../domain/access/rights.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('ends when nobody reads for long, and whoever reads just then gets an answer', async () => {
  const folder = temporaryFolder();
  const stored = openStoredZones({ folder });
  const thread = new ReadingThread(join(folder, 'zonebook.db'));
  for (let round = 0; round < 3; round++) {
    expect(await thread.read('recordEver', fullRights.message(), 1)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(30_000);
    expect(vi.getTimerCount()).toBe(0);
  }
  expect(await thread.read('recordEver', fullRights.message(), 1)).toBeUndefined();
  await thread.close();
  await stored.close();
});
