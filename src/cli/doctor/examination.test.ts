import { describe, expect, it } from 'vitest';
import { type ClockReadings, checkClock } from './examination.ts';

const now = Date.UTC(2026, 5, 1);
const fine: ClockReadings = { now, jumpedMs: 3, aheadMs: -400, lastEventAt: now - 1000 };

describe('the clock', () => {
  it('is right when all agree', () => {
    expect(checkClock(fine)).toMatchObject({ result: 'OK' });
    expect(checkClock({ ...fine, lastEventAt: null })).toMatchObject({ result: 'OK' });
    expect(checkClock({ ...fine, aheadMs: null })).toMatchObject({ result: 'OK' });
    // Two hosts may differ a little; TSIG forgives five minutes.
    expect(checkClock({ ...fine, aheadMs: 29_000, lastEventAt: now + 29_000 }).result).toBe('OK');
  });

  it('is not judged by nothing', () => {
    const alone = checkClock({ ...fine, aheadMs: null, lastEventAt: null });
    expect(alone.result).toBe('SKIP');
  });

  it.each([
    [{ now: Date.UTC(1970, 0, 1) }, 'it is 1970-01-01T00:00:00.000Z here'],
    [{ jumpedMs: -7000 }, 'jumped by -7.0 s while doctor ran'],
    [{ lastEventAt: now + 60_000 }, '2026-06-01T00:01:00.000Z: the clock is behind, or was ahead'],
    [{ aheadMs: 90_000 }, 'the service is 90.0 s ahead of this host'],
    [{ aheadMs: -90_000 }, 'the service is 90.0 s behind this host'],
  ] satisfies [Partial<ClockReadings>, string][])('fails with %j', (changed, says) => {
    const finding = checkClock({ ...fine, ...changed });
    expect(finding).toMatchObject({ result: 'FAIL', message: expect.stringContaining(says) });
    expect(finding.what_to_do).toContain('set the time from the network');
  });
});
