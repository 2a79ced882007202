/**
 * Bad days of the outside, on a clock that the test moves: a parent (named) that lowers the TTL of its DS
 * with the roll, or that falls silent after a promotion; unbound asks for every kind of answer all along, and
 * nothing is ever bogus. And a clock that ran ahead and was set right.
 */
import { expect, it, vi } from 'vitest';
import { askResolver, questionsOf, startCachingResolver } from '../support/caching-resolver.ts';
import { ZoneLife } from '../support/life-of-zone.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { ParentRelay } from '../support/parent-relay.ts';
import { ParentZone, parentName } from '../support/parent-zone.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

const name = `csk.${parentName}`;
const dsTtlSeconds = 1200;
/** The shortest that a zone may have, and a second of refresh. */
const zoneTtlSeconds = 60;
const publishWaitSeconds = zoneTtlSeconds + 2;
const monthSeconds = 31 * 86_400;

/** Waits until something is so; `expect.poll` is for tests that run one by one. */
const until = (isSo: () => Promise<void>) =>
  vi.waitFor(isSo, { timeout: patienceMs, interval: 100 });

/** A service, its zone, and resolvers that live by one clock, below a parent that any clock will do for. */
class BadDay {
  readonly clock = new MovedClock();
  readonly #others: AsyncDisposable[] = [];
  #rounds = 0;
  service!: RunningService;
  parent!: ParentZone;
  relay!: ParentRelay;
  zone!: ZoneLife;
  resolvers: readonly number[] = [];

  /** The resolvers' `server:` sections are as unbound has them but for these lines. */
  async start(...resolvers: readonly string[][]): Promise<void> {
    const { env } = this.clock;
    const scheduled = { ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1', ...env };
    this.service = this.#ends(await startService(scheduled));
    this.parent = this.#ends(await ParentZone.start(['csk'], dsTtlSeconds));
    this.relay = this.#ends(await ParentRelay.start(this.parent.port));
    await this.service.must('POST', '/dnssec-policies', { name: 'ed', algorithm: 'ed25519' });
    this.zone = await ZoneLife.create(this.service, this.parent, name);
    const parents = { parent_ns_addrs: [`127.0.0.1:${this.relay.port}`] };
    await this.zone.does('POST', '', parents);
    await this.passes(publishWaitSeconds);
    await this.#followsCds(1);
    const servers = { [parentName]: [this.parent.port], [name]: [this.service.dnsPort] };
    const anchor = await this.parent.anchor();
    for (const options of resolvers) {
      const resolver = this.#ends(await startCachingResolver({ servers, anchor, options, env }));
      await resolver.waitFor(name);
      this.resolvers = [...this.resolvers, resolver.port];
    }
    // From now on they have the DS for as long as its TTL says.
    expect(await this.wrong()).toEqual([]);
  }

  /** What is to end with the day. */
  #ends<Other extends AsyncDisposable>(other: Other): Other {
    this.#others.push(other);
    return other;
  }

  /** Lets so many seconds pass, and the scheduler look at the zone after them. */
  async passes(seconds: number): Promise<void> {
    this.clock.advance(seconds);
    await runs(this.service, 2);
  }

  async #followsCds(count: number): Promise<void> {
    const { dnsPort } = this.service;
    await until(async () => expect(await this.parent.cdsOf(name, dnsPort)).toHaveLength(count));
    await this.parent.followCds(name, dnsPort);
  }

  /** Answers that are not what they should be, or not secure. */
  async wrong(): Promise<string[]> {
    const wrong: string[] = [];
    for (const port of this.resolvers) {
      for (const [owner, type, kind] of questionsOf(name, this.#rounds++)) {
        const seen = await askResolver(port, owner, type);
        if (seen.kind === kind && seen.isSecure) continue;
        wrong.push(`${owner} ${type}: ${seen.kind}, secure: ${seen.isSecure} ${seen.why}`);
      }
    }
    return wrong;
  }

  keysAre(keys: string): Promise<void> {
    return until(async () => expect(await this.zone.keys()).toBe(keys));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#others.reverse()) await each[Symbol.asyncDispose]();
    this.clock[Symbol.dispose]();
  }
}

/** Waits until the scheduler has ended so many more runs: the first of them may have begun before. */
async function runs(service: RunningService, count: number): Promise<void> {
  const before = await runsOf(service);
  await until(async () => expect(await runsOf(service)).toBeGreaterThanOrEqual(before + count));
}

async function runsOf(service: RunningService): Promise<number> {
  const { body } = await service.call('GET', '/metrics');
  return Number(/scheduler_runs_total\{result="ok"\} (\d+)/.exec(String(body))![1]);
}

const peers = ['faketime', 'named', 'unbound', 'dig', 'nsupdate', 'dnspython'] as const;

needsPeers(...peers)(
  'a parent',
  () => {
    it('case 104: lowers the TTL of its DS with the roll, and nothing is bogus', async () => {
      await using day = new BadDay();
      await day.start(['harden-algo-downgrade: yes']);
      const { zone, parent } = day;
      await zone.does('POST', '/rollover');
      await day.passes(publishWaitSeconds);
      await parent.setDs(name, await zone.dsRecords(), 60);
      await day.keysAre('csk retired, csk active');
      await parent.setDs(name, await zone.dsRecords(), 60);
      // Resolvers have the DS of the old key alone, from before, for most of 1200 s.
      for (const seconds of [2 * publishWaitSeconds, 800]) {
        await day.passes(seconds);
        expect(await zone.keys()).toBe('csk retired, csk active');
        expect(await day.wrong()).toEqual([]);
      }
      await day.passes(dsTtlSeconds - 700);
      await day.keysAre('csk active');
      day.clock.advance(zoneTtlSeconds);
      expect(await day.wrong()).toEqual([]);
    });

    it('case 105: is silent after the promotion of another algorithm, and the old one stays', async () => {
      await using day = new BadDay();
      // As it comes, and as strict as it can be made.
      await day.start([], ['harden-algo-downgrade: yes']);
      const { zone, parent, relay } = day;
      await zone.does('PUT', '', { policy_name: 'ed' });
      await day.passes(publishWaitSeconds);
      await parent.setDs(name, await zone.dsRecords());
      await day.keysAre('csk retired, csk active');
      await relay.turn(false);
      for (const seconds of [publishWaitSeconds, 86_400]) {
        await day.passes(seconds);
        expect(await zone.keys()).toBe('csk retired, csk active');
        expect(await day.wrong()).toEqual([]);
      }
      await until(async () =>
        expect((await zone.status()).next_steps[0]).toMatchObject({
          action: 'remove',
          awaits: 'parents_let_go',
          blocked_by: expect.stringMatching(/has not said that it serves no DS of algorithm 13/),
        }),
      );
      await relay.turn(true);
      await day.passes(1);
      // While a run is at it, what is in its way is not known.
      const blockedBy = async () => (await zone.status()).next_steps[0].blocked_by;
      await until(async () => expect(await blockedBy()).toMatch(/still serves a DS of algo/));
      await parent.setDs(name, await zone.dsRecords());
      // It has to be seen that the parent let go, and what resolvers were told just before has to leave them.
      await day.passes(0);
      await day.passes(dsTtlSeconds - 200);
      expect(await zone.keys()).toBe('csk retired, csk active');
      expect(await day.wrong()).toEqual([]);
      await day.passes(200 + publishWaitSeconds);
      await day.keysAre('csk active');
      day.clock.advance(zoneTtlSeconds);
      expect(await day.wrong()).toEqual([]);
    });
  },
  { concurrent: true },
);

needsPeers(
  'faketime',
  'unbound',
  'dnspython',
)('a clock', () => {
  it('case 106: ran ahead a month and is set right, and one run mends every signature', async () => {
    using clock = new MovedClock();
    // The scheduler sees within seconds that the clock was set, and would mend what this is to look at first.
    const env: Record<string, string> = { ...clock.env, ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '0' };
    await using service = await startService(env);
    const path = `/zones/${name}/dnssec`;
    const names = { name, mname: `ns1.${name}`, rname: `root@${name}` };
    const times = { default_ttl: 60, minimum_ttl: 60, refresh: 1, retry: 1 };
    await service.must('POST', '/zones', { ...names, ...times });
    const records = Array.from({ length: 300 }, (_, at) => {
      return { name: `h${at}`, type: 'A', value: '192.0.2.1' };
    });
    await service.must('POST', '/records/bulk', { zone_name: name, records });
    const parents = { parent_ns_addrs: ['127.0.0.1:9'] };
    const { ds_records: ds } = await service.must('POST', path, parents);
    await using resolver = await startCachingResolver({
      servers: { [name]: [service.dnsPort] },
      anchor: `${name}. DS ${ds[0].presentation}`,
      mostSeconds: 1,
    });
    await resolver.waitFor(name);
    clock.advance(monthSeconds);
    await service.must('POST', `${path}/sign`);
    await service.must('POST', `${path}/rollover`);
    clock.advance(-monthSeconds);
    const resolves = async () => (await askResolver(resolver.port, `h7.${name}`, 'A')).isSecure;
    expect(await resolves()).toBe(false);
    const ahead = await service.must('GET', path);
    expect(ahead.future_signatures).toBe(ahead.signatures);
    expect(Date.parse(ahead.next_resign_at)).toBeLessThanOrEqual(Date.now());
    expect(ahead.warnings.join()).toMatch(/not valid yet, because the clock was ahead/);
    await service.end();
    // It runs at the start, and not again while this lasts.
    env.ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS = '3600';
    await service.start();
    await until(async () => expect(await runsOf(service)).toBe(1));

    const mended = await service.must('GET', path);
    expect(mended).toMatchObject({ future_signatures: 0, expired_signatures: 0, warnings: [] });
    // Nobody has to wait for a month until keys are what they are to become.
    const [, published] = mended.keys;
    const wait = Date.parse(published.eligible_at) - Date.now();
    expect(published.state).toBe('published');
    expect(wait).toBeLessThanOrEqual(publishWaitSeconds * 1000);
    await until(async () => expect(await resolves()).toBe(true));
  });
});
