/**
 * Years of signed zones below a parent that is late, wrong, silent, of other TTLs, gone and back: named is
 * the parent, unbound validates and caches, once as it comes and once as strict as it can be, and all of
 * them live by one clock that is moved by hours. Nothing may ever be bogus.
 *
 * `LIFE_SEED`, `LIFE_ROLLS`, `LIFE_ANSWERS` and `LIFE_ONLY` (one adversity by its name) choose another
 * life; `LIFE_TRACE=1` tells of each moment. named keeps its own clock, as it can not be moved: its signatures
 * are made to last, and TTLs know no time of day.
 */
import { expect, it, onTestFailed } from 'vitest';
import { type Adversity, adversities, type RollKind, rollKinds } from '../support/adversities.ts';
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

const seed = Number(process.env.LIFE_SEED ?? (isLong ? 17 : 4));
const only = process.env.LIFE_ONLY;
const isTraced = process.env.LIFE_TRACE === '1';

const strict = [
  'harden-algo-downgrade: yes',
  'harden-dnssec-stripped: yes',
  'harden-below-nxdomain: yes',
  'aggressive-nsec: yes',
  'qname-minimisation-strict: yes',
];

function chosen(): readonly Adversity[] {
  if (only !== undefined) return adversities.filter(({ name }) => name === only);
  return adversities;
}

interface Extent {
  readonly zones: number;
  /** Of keys, at least; and each kind of roll at least once. */
  readonly rolls: number;
  readonly answers: number;
  /** One of so many moments has a mishap. */
  readonly mishapEvery: number;
  /** Seconds that the parent lets caches keep a DS. */
  readonly dsTtl: number;
  /** Hours that pass at a time, from and to. */
  readonly hours: readonly [number, number];
}

function sum(counts: readonly [string, number][], isCounted: (what: string) => boolean): number {
  return counts.reduce((total, [what, count]) => total + (isCounted(what) ? count : 0), 0);
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
    this.mishaps = new Mishaps(service, clock.env, dice, (seconds) => this.#passes(seconds));
  }

  /** How many rolls of keys have ended. */
  get rolls(): number {
    return sum(this.#counts(), (what) => !what.startsWith('denial'));
  }

  /** Whether each kind of roll has ended once. */
  get hadAll(): boolean {
    const counts = this.#counts();
    return rollKinds.every((kind) => sum(counts, (what) => what.startsWith(kind)) > 0);
  }

  get doing(): readonly string[] {
    return this.lives.map(({ doing }) => doing);
  }

  /** What ended, by kind and adversity. */
  #counts(): [string, number][] {
    return this.lives.flatMap(({ done }) => [...done]);
  }

  report(): object {
    const rolls: Record<string, number> = {};
    for (const [what, count] of this.#counts()) rolls[what] = (rolls[what] ?? 0) + count;
    const { answers, bogus, missing, wrongDuring, wrong } = this.answers;
    const mishaps = Object.fromEntries(this.mishaps.count);
    const during = Object.fromEntries(wrongDuring);
    return { rolls, mishaps, answers, bogus, missing, during, wrong: wrong.slice(0, 20) };
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

  /** Until the scheduler has run; a run that had begun before counts too, for it may be late as well. */
  async #untilScheduled(): Promise<void> {
    const runs = async () => {
      const { body } = await this.#service.call('GET', '/metrics');
      const found = String(body).matchAll(/^zonebook_dnssec_scheduler_runs_total\{.*\} (\d+)$/gm);
      return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await runs();
    await expect.poll(runs).toBeGreaterThan(before);
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
  let moment = 0;
  // Also one that did not end in its time.
  onTestFailed(() => console.log({ seed, moment, doing: world.doing, ...world.report() }));
  while (world.rolls < rolls || !world.hadAll || sampled.answers < answers) {
    moment++;
    await world.step();
    if (moment % mishapEvery === 0) {
      await world.mishaps.happens(mishapKinds[dice(mishapKinds.length)]!, world.lives);
    }
    if (isTraced) {
      const { answers: asked, bogus, missing, wrong } = sampled;
      const at = new Date().toISOString();
      console.log({
        at,
        moment,
        rolls: world.rolls,
        asked,
        bogus,
        missing,
        wrong: wrong.slice(-3),
      });
      console.log(world.doing);
    }
  }
  const days = (clock.now() - startedAt) / 86_400_000;
  if (isLong || isTraced) console.log({ seed, days, ...world.report() });
  expect(sampled.wrong).toEqual([]);
  expect(sampled.bogus).toBe(0);
  // A busy host answers late now and then.
  expect(sampled.missing).toBeLessThan(sampled.answers / 50);
}

const sample: Extent = {
  ...{ zones: 4, rolls: 4, answers: 500, mishapEvery: 2 },
  ...{ dsTtl: 3600, hours: [4.5, 8] },
};
const whole: Extent = {
  ...{ zones: 8, rolls: 200, answers: 50_000, mishapEvery: 5 },
  ...{ dsTtl: 6 * 3600, hours: [0.2, 6] },
};

const peers = ['named', 'unbound', 'dig', 'nsupdate', 'dnspython', 'faketime'] as const;

needsPeers(...peers)('a long life', () => {
  it('is never bogus', async () => {
    const extent = isLong ? whole : sample;
    const { LIFE_ROLLS: rolls = extent.rolls, LIFE_ANSWERS: answers = extent.answers } =
      process.env;
    await live({ ...extent, rolls: Number(rolls), answers: Number(answers) });
  });
});
