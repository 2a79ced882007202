/**
 * A signed zone whose keys roll without end below a parent with bad days, on a clock that is moved: who
 * operates it follows what the interface says, and the parent does what the adversity of the roll says.
 */
import { type Adversity, isForeign, prompt, type RollKind, type RollView } from './adversities.ts';
import { recordsOfLife } from './life-of-zone.ts';
import type { MovedClock } from './moved-clock.ts';
import { ParentRelay } from './parent-relay.ts';
import type { ParentZone } from './parent-zone.ts';
import type { RunningService } from './service.ts';
import type { Dice } from './zone-changes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

export type Layout = 'csk' | 'pair';

const hourMs = 3_600_000;
/** The largest TTL in these zones, and how long a resolver may take all in all to forget an answer. */
const largestTtl = 4 * 3600;
const settings = { default_ttl: 3600, minimum_ttl: 1800, refresh: 600, retry: 60 };

const algorithms = ['ecdsap256sha256', 'ed25519', 'ecdsap384sha384'];
const denials = ['nsec3', 'nsec'];

/** Every policy that these zones have. */
export async function makePolicies(service: RunningService): Promise<void> {
  for (const layout of ['csk', 'pair'] as const) {
    for (const algorithm of algorithms) {
      for (const denial of denials) {
        await service.must('POST', '/dnssec-policies', {
          name: `${layout}-${algorithm}-${denial}`,
          algorithm,
          denial,
          split_keys: layout === 'pair',
        });
      }
    }
  }
}

export interface Surroundings {
  readonly service: RunningService;
  readonly parent: ParentZone;
  readonly clock: MovedClock;
  readonly dice: Dice;
  /** Which bad days there may be. */
  readonly adversities: readonly Adversity[];
}

interface Roll {
  readonly kind: RollKind;
  readonly adversity: Adversity;
  readonly before: readonly string[];
  readonly drawn: readonly [number, number];
  phase: RollView['phase'];
  since: number;
}

/** What a promotion out of its time is answered with. */
const refusals = new Set([
  'INVALID_INPUT',
  'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
  'DNSSEC_DS_NOT_PUBLISHED',
  'DNSSEC_DS_UNVERIFIED',
]);

const textOf = ({ kind, adversity }: Roll): string => `${kind} (${adversity.name})`;

export class MovedLife {
  readonly name: string;
  readonly layout: Layout;
  /** How many rolls of each kind under each adversity have ended. */
  readonly done = new Map<string, number>();
  readonly #around: Surroundings;
  readonly #relay: ParentRelay;
  #algorithm = 0;
  #denial = 0;
  #roll: Roll | undefined;
  /** The one before. */
  #last: Roll | undefined;
  #served: readonly string[] = [];
  #servedTtl = 0;
  #cds: readonly string[] = [];
  #cdsSince = 0;
  #actedAt = 0;
  #pardonedUntil = 0;
  #secureFrom = Number.POSITIVE_INFINITY;
  /** Kinds that come before any is drawn. */
  readonly #first: RollKind[];

  private constructor(
    name: string,
    layout: Layout,
    around: Surroundings,
    relay: ParentRelay,
    first: readonly RollKind[],
  ) {
    this.name = name;
    this.layout = layout;
    this.#around = around;
    this.#relay = relay;
    this.#first = [...first];
  }

  /** Makes the zone, signs it and begins with rolls of the kinds in `first`. */
  static async start(
    name: string,
    layout: Layout,
    around: Surroundings,
    first: readonly RollKind[] = [],
  ): Promise<MovedLife> {
    const { service, parent } = around;
    const relay = await ParentRelay.start(parent.port);
    const life = new MovedLife(name, layout, around, relay, first);
    const names = { name, mname: `ns1.${name}`, rname: `root@${name}` };
    await service.must('POST', '/zones', { ...names, ...settings });
    const long = { name: 'long', type: 'A', value: '192.0.2.4', ttl: largestTtl };
    const records = [...recordsOfLife, long];
    await service.must('POST', '/records/bulk', { zone_name: name, records });
    await life.#does('POST', '', {
      policy_name: life.#policy,
      parent_ns_addrs: [`127.0.0.1:${relay.port}`],
    });
    return life;
  }

  get #policy(): string {
    return `${this.layout}-${algorithms[this.#algorithm]}-${denials[this.#denial]}`;
  }

  #does(method: string, action: string, body?: object): Promise<Json> {
    return this.#around.service.must(method, `/zones/${this.name}/dnssec${action}`, body);
  }

  /** Whether every answer has to be secure by now. */
  get isSecure(): boolean {
    return this.#around.clock.now() >= this.#secureFrom;
  }

  /** Whether the parent itself has made the zone bogus: caches may hold nothing but a wrong DS. */
  get isPardoned(): boolean {
    return this.#around.clock.now() < this.#pardonedUntil;
  }

  /** What is in progress, for messages. */
  get doing(): string {
    const roll = this.#roll;
    const now = roll === undefined ? 'at rest' : `${textOf(roll)}, ${roll.phase}`;
    return this.#last === undefined ? now : `${now}, after ${textOf(this.#last)}`;
  }

  status(): Promise<Json> {
    return this.#does('GET', '');
  }

  /** `id state` of each key. */
  async keys(): Promise<string> {
    return (await this.status()).keys.map(({ id, state }: Json) => `${id} ${state}`).join(', ');
  }

  /** The operator and the parent do what there is to do at this moment. Returns times of what comes next. */
  async acts(): Promise<number[]> {
    const { parent, service, clock } = this.#around;
    const cds = await parent.cdsOf(this.name, service.dnsPort);
    if (cds.join() !== this.#cds.join()) {
      this.#cds = cds;
      // The parent may have looked at any time since.
      this.#cdsSince = this.#actedAt;
    }
    this.#actedAt = clock.now();
    const status = await this.status();
    this.#takePhase(status);
    await this.#parentActs();
    if (this.#isAtRest(status)) await this.#begin();
    else if (this.#around.dice(3) === 0) await this.#promotes();
    const now = clock.now();
    return status.next_steps.map(({ at }: Json) => Date.parse(at)).filter((at: number) => at > now);
  }

  /** The operator tries what the scheduler may not have done yet. */
  async #promotes(): Promise<void> {
    const path = `/zones/${this.name}/dnssec/rollover/promote`;
    const { status, body } = await this.#around.service.call('POST', path);
    if (status === 200 || refusals.has(body.code)) return;
    throw new Error(`promote: ${status} ${JSON.stringify(body)}`);
  }

  #takePhase({ keys }: Json): void {
    const roll = this.#roll;
    if (roll === undefined) return;
    const states = new Set<string>(keys.map(({ state }: Json) => state));
    const phase = states.has('published')
      ? 'publishing'
      : states.has('retired')
        ? 'retiring'
        : 'done';
    if (phase === roll.phase) return;
    roll.phase = phase;
    roll.since = this.#around.clock.now();
  }

  async #parentActs(): Promise<void> {
    const { clock } = this.#around;
    const now = clock.now();
    const roll = this.#roll;
    const view: RollView = {
      cds: this.#cds,
      before: roll?.before ?? [],
      served: this.#served,
      phase: roll?.phase ?? 'done',
      hours: roll === undefined ? 0 : (now - roll.since) / hourMs,
      requestedFor: (now - this.#cdsSince) / hourMs,
      drawn: roll?.drawn ?? [0.5, 0.5],
    };
    const next = (roll?.adversity ?? prompt).decide(view);
    await this.#serve(next.ds, next.ttl ?? this.#around.parent.dsTtlSeconds);
    await this.#relay.turn(next.isSilent !== true);
  }

  async #serve(ds: readonly string[], ttl: number): Promise<void> {
    if (ds.join() === this.#served.join() && (ttl === this.#servedTtl || ds.length === 0)) return;
    const { parent, clock } = this.#around;
    const before = this.#served;
    const isWrong = ds.length > 0 && ds.every(isForeign);
    if (isWrong) this.#pardonedUntil = Number.POSITIVE_INFINITY;
    await parent.setDs(this.name, ds, ttl);
    if (before.length > 0 && before.every(isForeign) && !isWrong) {
      this.#pardonedUntil = clock.now() + (this.#servedTtl + 60) * 1000;
    }
    this.#served = ds;
    this.#servedTtl = ttl;
    if (ds.length === 0) this.#secureFrom = Number.POSITIVE_INFINITY;
    // What was found insecure stays so for its TTL, and so does the parent's word that there is no DS.
    else if (before.length === 0) this.#secureFrom = clock.now() + 2 * largestTtl * 1000;
  }

  /** Nothing is in progress, and the parent serves what the zone asks for. */
  #isAtRest({ keys }: Json): boolean {
    if (this.#cds.length === 0 || this.#served.join() !== this.#cds.join()) return false;
    if (keys.some(({ state }: Json) => state !== 'active')) return false;
    const roll = this.#roll;
    if (roll === undefined) return true;
    const what = textOf(roll);
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
    this.#last = roll;
    this.#roll = undefined;
    return true;
  }

  async #begin(): Promise<void> {
    const { dice, clock } = this.#around;
    const kind = this.#first.shift() ?? this.#drawKind();
    const adversity = kind === 'denial' ? prompt : this.#drawAdversity(kind);
    const drawn = [dice(1000) / 1000, dice(1000) / 1000] as const;
    const before = this.#served;
    this.#roll = { kind, adversity, before, drawn, phase: 'publishing', since: clock.now() };
    switch (kind) {
      case 'csk':
        await this.#does('POST', '/rollover');
        break;
      case 'ksk':
      case 'zsk':
        await this.#does('POST', '/rollover', { role: kind });
        break;
      case 'algorithm': {
        const step = 1 + dice(algorithms.length - 1);
        this.#algorithm = (this.#algorithm + step) % algorithms.length;
        await this.#does('PUT', '', { policy_name: this.#policy });
        break;
      }
      case 'denial':
        this.#denial = 1 - this.#denial;
        await this.#does('PUT', '', { policy_name: this.#policy });
    }
  }

  #drawKind(): RollKind {
    const { dice } = this.#around;
    const ofKeys: readonly RollKind[] = this.layout === 'csk' ? ['csk', 'csk'] : ['ksk', 'zsk'];
    const kinds: readonly RollKind[] = [...ofKeys, 'algorithm', 'denial'];
    return kinds[dice(kinds.length)]!;
  }

  #drawAdversity(kind: RollKind): Adversity {
    const { dice, adversities } = this.#around;
    const fitting = adversities.filter(({ rolls }) => rolls.includes(kind));
    // One roll of six goes as it should.
    if (fitting.length === 0 || dice(6) === 0) return prompt;
    return fitting[dice(fitting.length)]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
  }
}
