/** Which secondaries hold a key's next step back, and for how long. */
import { expect, it } from 'vitest';
import {
  lateSecondaries,
  type SecondaryAnswer,
  type SecondarySighting,
  withAnswers,
} from './secondary-serials.ts';
import type { ZoneKey } from './zone-key.ts';

const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const day = 24 * hour;
const expireSeconds = (7 * day) / 1000;

const keyAt = (stateSerial: number | undefined): ZoneKey => ({
  id: 1,
  algorithm: 13,
  role: 'csk',
  state: 'published',
  keyTag: 1,
  dnskey: Buffer.alloc(4),
  dsSeenAt: null,
  createdAt: start,
  stateChangedAt: start,
  eligibleAt: start,
  cdsFrom: null,
  dsFrom: null,
  stateSerial,
});
const at = (serial: number | null, name = 'ns2'): SecondaryAnswer => {
  return { name, address: '192.0.2.2:53', serial };
};
const silent: SecondaryAnswer = { name: 'ns2', address: '192.0.2.2:53', failure: 'no answer' };

const reasons = (
  needed: number | undefined,
  answers: SecondaryAnswer[],
  sightings: readonly SecondarySighting[] = [],
  now = start,
) => lateSecondaries([keyAt(needed)], sightings, answers, now).map(({ reason }) => reason);

it('a secondary that serves an older serial holds the step back, and is named', () => {
  expect(reasons(8, [at(7)])).toEqual([
    "secondary 'ns2' (192.0.2.2:53) still serves serial 7, from before 8",
  ]);
  expect(reasons(8, [at(8), at(9, 'ns3')])).toEqual([]);
  // Serials are compared as RFC 1982 does.
  expect(reasons(8, [at(4_294_967_295)])).toHaveLength(1);
  expect(reasons(8, [])).toEqual([]);
});

it('one that serves the zone no more, or a step that waits for nobody, does not', () => {
  expect(reasons(8, [at(null)])).toEqual([]);
  expect(reasons(undefined, [at(1)])).toEqual([]);
});

it('one that does not answer holds it until the expire is over since it was last seen', () => {
  const seen = withAnswers([], [at(7)], expireSeconds, start);
  expect(seen).toEqual([{ name: 'ns2', serial: 7, seenAt: start, expireSeconds }]);
  const [reason] = reasons(8, [silent], seen, start + 6 * day);
  expect(reason).toMatch(/'ns2'.*does not answer, and last served serial 7/);
  // The same serial is not written down each time: it may have been seen a 24th of the expire later.
  const reading = { ...silent, failure: '192.0.2.2:53 answered SERVFAIL', hasAnswered: true };
  expect(reasons(8, [reading], seen, start + 6 * day)[0]).toMatch(
    'gives no serial (192.0.2.2:53 answered SERVFAIL), and last served serial',
  );
  expect(reasons(8, [silent], seen, start + 7 * day)).toHaveLength(1);
  expect(reasons(8, [silent], seen, start + 7 * day + 7 * hour)).toEqual([]);
  // With what is needed already, or never seen at all: nobody is kept waiting by silence.
  expect(reasons(7, [silent], seen)).toEqual([]);
  expect(reasons(8, [silent])).toEqual([]);
});

it('sightings are new when they tell something new', () => {
  const seen = withAnswers([], [at(7), at(5, 'ns3')], expireSeconds, start);
  const later = (answers: SecondaryAnswer[], now: number, expire = expireSeconds) =>
    withAnswers(seen, answers, expire, now);
  const both = [at(7), at(5, 'ns3')];
  expect(later(both, start + hour)).toBe(seen);
  expect(later(both, start + 7 * hour)[0]).toMatchObject({ serial: 7, seenAt: start + 7 * hour });
  expect(later([silent, at(5, 'ns3')], start + day / 4)).toBe(seen);
  expect(later([at(8), at(5, 'ns3')], start + 1)[0]).toMatchObject({
    serial: 8,
    seenAt: start + 1,
  });
  expect(later([at(null), at(5, 'ns3')], start)).toEqual([seen[1]]);
  expect(later([at(7)], start)).toEqual([seen[0]]);
  // A secondary may hold the greater expire of the two as long as its serial is the same.
  const lowered = withAnswers(seen, both, 3600, start + 7 * hour);
  expect(lowered[0]).toMatchObject({ expireSeconds });
  expect(later([at(8), at(5, 'ns3')], start, 3600)[0]).toMatchObject({ expireSeconds: 3600 });
});
