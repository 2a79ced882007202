/**
 * Years of signed zones below a parent that is late, wrong, silent, of other TTLs, gone and back: named is
 * the parent, unbound validates and caches, once as it comes and once as strict as it can be, and all of
 * them live by one clock that is moved by hours. Nothing may ever be bogus (decisions 10).
 *
 * `LIFE_SEED`, `LIFE_ROLLS` and `LIFE_ONLY` (the name of one adversity) choose another life.
 */
import { expect, it } from 'vitest';
import { type Adversity, adversities, knownFaulty, type RollKind } from '../support/adversities.ts';
import { startCachingResolver } from '../support/caching-resolver.ts';
import { isLong } from '../support/long.ts';
import { Mishaps, mishapKinds } from '../support/mishaps.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { type Layout, makePolicies, MovedLife } from '../support/moved-life.ts';
import { ParentZone, parentName } from '../support/parent-zone.ts';
import { needsPeers } from '../support/peers.ts';
import { SampledAnswers } from '../support/sampled-answers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type Dice, diceOf } from '../support/zone-changes.ts';

const seed = Number(process.env.LIFE_SEED ?? 17);
const only = process.env.LIFE_ONLY;

const strict = [
  'harden-algo-downgrade: yes',
  'harden-dnssec-stripped: yes',
  'harden-below-nxdomain: yes',
  'aggressive-nsec: yes',
  'qname-minimisation-strict: yes',
];

function chosen(): readonly Adversity[] {
  if (only === 'all') return adversities;
  if (only !== undefined) return adversities.filter(({ name }) => name === only);
  return adversities.filter(({ name }) => !knownFaulty.includes(name));
}

interface Extent {
  readonly zones: number;
  readonly rolls: number;
  readonly answers: number;
  /** One of so many moments has a mishap. */
  readonly mishapEvery: number;
  /** Seconds that the parent lets caches keep a DS. */
  readonly dsTtl: number;
  /** Hours that pass at a time, from and to. */
  readonly hours: readonly [number, number];
}

class World {
  readonly lives: MovedLife[] = [];
  readonly #hours: readonly [number, number];
  readonly #clock: MovedClock;
  readonly #service: RunningService;
  readonly #dice: Dice;
  readonly answers: SampledAnswers;
  readonly mishaps: Mishaps;

  constructor(
    extent: Extent,
    clock: MovedClock,
    service: RunningService,
    dice: Dice,
    answers: SampledAnswers,
  ) {
    this.#hours = extent.hours;
    this.#clock = clock;
    this.#service = service;
    this.#dice = dice;
    this.answers = answers;
    this.mishaps = new Mishaps(service, clock.env, dice);
  }

  get rolls(): number {
    const counts = this.lives.flatMap(({ done }) => [...done.values()]);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** What ended, by kind and adversity. */
  report(): Record<string, number> {
    const all: Record<string, number> = {};
    for (const { done } of this.lives) {
      for (const [what, count] of done) all[what] = (all[what] ?? 0) + count;
    }
    return all;
  }

  /** Operators and parents act, and then hours pass, or what is left until the next thing may happen. */
  async step(): Promise<void> {
    const times: number[] = [];
    for (const life of this.lives) times.push(...(await life.acts()));
    await this.answers.sample(this.lives);
    const next = Math.ceil((Math.min(...times) - this.#clock.now()) / 1000);
    if (this.#dice(5) < 2 && next > 10 && next < this.#hours[1] * 3600) {
      // The last moment at which caches may take in what was, and the first after it.
      await this.#passes(next - 3);
      await this.#passes(4);
    } else {
      const [from, to] = this.#hours;
      await this.#passes(from * 3600 + this.#dice((to - from) * 3600));
    }
  }

  /** Caches are asked at the new time before the service looks at its zones, and after. */
  async #passes(seconds: number): Promise<void> {
    this.#clock.advance(seconds);
    await this.answers.sample(this.lives);
    await this.#untilScheduled();
    await this.answers.sample(this.lives);
  }

  /** Until a run of the scheduler that began from now on has ended. */
  async #untilScheduled(): Promise<void> {
    const runs = async () => {
      const { body } = await this.#service.call('GET', '/metrics');
      const found = String(body).matchAll(/^zonebook_dnssec_scheduler_runs_total\{.*\} (\d+)$/gm);
      return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await runs();
    await expect.poll(runs).toBeGreaterThanOrEqual(before + 2);
  }
}

/** The layouts and the kinds of roll that each zone begins with, so that few zones have had every kind. */
const beginnings: readonly (readonly [Layout, readonly RollKind[]])[] = [
  ['csk', ['denial', 'csk']],
  ['pair', ['ksk']],
  ['pair', ['zsk', 'denial']],
  ['csk', ['algorithm']],
];

async function live(extent: Extent): Promise<void> {
  const { zones, rolls, answers, mishapEvery, dsTtl } = extent;
  const dice = diceOf(seed);
  using clock = new MovedClock();
  const { env } = clock;
  const labels = Array.from({ length: zones }, (_, index) => `z${index}`);
  await using service = await startService({ ...env, ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1' });
  await using parent = await ParentZone.start(labels, dsTtl, { ttlSeconds: 900 });
  const servers = Object.fromEntries(
    labels.map((each) => [`${each}.${parentName}`, service.dnsPort]),
  );
  const setup = {
    servers: Object.fromEntries(
      Object.entries({ [parentName]: parent.port, ...servers }).map(([zone, port]) => [
        zone,
        [port],
      ]),
    ),
    anchor: await parent.anchor(),
    env,
  };
  await using plain = await startCachingResolver({ ...setup, options: [] });
  await using hardened = await startCachingResolver({ ...setup, options: strict });
  const resolvers = { default: plain.port, hardened: hardened.port };
  const sampled = new SampledAnswers(resolvers, dice, () => clock.now());
  const world = new World(extent, clock, service, dice, sampled);
  await makePolicies(service);
  const around = { service, parent, clock, dice, adversities: chosen() };
  await using ends = new AsyncDisposableStack();
  for (const [index, label] of labels.entries()) {
    const [layout, first] = beginnings[index % beginnings.length]!;
    const life = await MovedLife.start(`${label}.${parentName}`, layout, around, first);
    world.lives.push(ends.use(life));
  }
  const startedAt = clock.now();
  for (let moment = 1; world.rolls < rolls || sampled.answers < answers; moment++) {
    await world.step();
    if (moment % mishapEvery === 0) {
      await world.mishaps.happens(mishapKinds[dice(mishapKinds.length)]!, world.lives);
    }
    if (process.env.LIFE_TRACE === '1') {
      console.log(
        moment,
        world.rolls,
        sampled.answers,
        sampled.bogus,
        sampled.missing,
        world.lives.map((life) => life.doing),
      );
    }
  }
  console.log({
    seed,
    days: Math.round((clock.now() - startedAt) / 86_400_000),
    rolls: world.report(),
    mishaps: Object.fromEntries(world.mishaps.count),
    answers: sampled.answers,
    bogus: sampled.bogus,
    missing: sampled.missing,
    wrongDuring: Object.fromEntries(sampled.wrongDuring),
    wrong: sampled.wrong.slice(0, 20),
  });
  expect(sampled.wrong).toEqual([]);
  expect(sampled.bogus).toBe(0);
}

const peers = ['named', 'unbound', 'dig', 'nsupdate', 'dnspython', 'faketime'] as const;

needsPeers(...peers)('a long life', () => {
  it('is never bogus', async () => {
    const rolls = Number(process.env.LIFE_ROLLS ?? (isLong ? 220 : 5));
    const sample: Extent = {
      ...{ zones: 4, rolls, answers: 500, mishapEvery: 3 },
      ...{ dsTtl: 3600, hours: [4.5, 8] },
    };
    const whole: Extent = {
      ...{ zones: 8, rolls, answers: 50_000, mishapEvery: 5 },
      ...{ dsTtl: 6 * 3600, hours: [0.2, 6] },
    };
    const asked = Number(process.env.LIFE_ANSWERS ?? Number.NaN);
    await live({
      ...(isLong ? whole : sample),
      ...(Number.isNaN(asked) ? {} : { answers: asked }),
    });
  });
});
