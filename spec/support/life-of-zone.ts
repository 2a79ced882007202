/** A zone of a running service that is signed below a real parent, step by step. */
import { expect } from 'vitest';
import type { ParentZone } from './parent-zone.ts';
import type { RunningService } from './service.ts';
import { patienceMs } from './patience.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

/** The shortest TTLs and timers there may be. */
const fastest = { default_ttl: 60, minimum_ttl: 60, refresh: 1, retry: 1 };

/** What the questions of caching-resolver.ts find. */
export const recordsOfLife: readonly object[] = [
  { name: 'ns1', type: 'A', value: '127.0.0.1' },
  { name: 'www', type: 'A', value: '192.0.2.1' },
  { name: 'fast', type: 'A', value: '192.0.2.2', ttl: 1 },
  { name: '*.wild', type: 'TXT', value: 'wild', ttl: 2 },
  { name: 'a.b.ent', type: 'A', value: '192.0.2.3' },
  { name: 'plain', type: 'NS', value: 'ns.plain.example.' },
];

export class ZoneLife {
  readonly name: string;
  readonly service: RunningService;
  readonly parent: ParentZone;
  #changes = 0;

  constructor(service: RunningService, parent: ParentZone, name: string) {
    this.service = service;
    this.parent = parent;
    this.name = name;
  }

  static async create(service: RunningService, parent: ParentZone, name: string) {
    const life = new ZoneLife(service, parent, name);
    const names = { name, mname: `ns1.${name}`, rname: `root@${name}` };
    await service.must('POST', '/zones', { ...names, ...fastest });
    await service.must('POST', '/records/bulk', { zone_name: name, records: recordsOfLife });
    return life;
  }

  get #path(): string {
    return `/zones/${this.name}/dnssec`;
  }

  get parentAddress(): string {
    return `127.0.0.1:${this.parent.port}`;
  }

  status(): Promise<Json> {
    return this.service.must('GET', this.#path);
  }

  does(method: string, action: string, body?: object): Promise<Json> {
    return this.service.must(method, `${this.#path}${action}`, body);
  }

  /** What is out of order is refused with its code, and nothing moves. */
  async refuses(code: string, method: string, action: string, body?: object): Promise<void> {
    const before = (await this.status()).serial;
    const reply = await this.service.call(method, `${this.#path}${action}`, body);
    expect({ method, action, body, answer: reply.body }).toMatchObject({ answer: { code } });
    // The zone may move by itself, but not its keys.
    expect((await this.status()).serial).toBeGreaterThanOrEqual(before);
  }

  /** The same while the parent's servers can not be reached. */
  async refusesUnverified(method: string, action: string): Promise<void> {
    await this.does('PUT', '', { parent_ns_addrs: ['127.0.0.1:9'] });
    await this.refuses('DNSSEC_DS_UNVERIFIED', method, action);
    await this.does('PUT', '', { parent_ns_addrs: [this.parentAddress] });
  }

  /** One change of the zone, as its users make them. */
  async changes(): Promise<void> {
    const name = `change${this.#changes++}`;
    const record = { zone_name: this.name, name, type: 'A', value: '192.0.2.9' };
    await this.service.must('POST', '/records', record);
  }

  /** `role state` of each key, by role and state. */
  async keys(): Promise<string> {
    const { keys } = await this.status();
    return keys.map((key: Json) => `${key.role} ${key.state}`).join(', ');
  }

  async untilKeys(wanted: string, withinMs = patienceMs): Promise<void> {
    await this.until(`keys are ${wanted}`, withinMs, async () => (await this.keys()) === wanted);
  }

  /** Waits for so many CDS, which the status shows as well, and has the parent follow them. */
  async untilCdsFollowed(count: number, withinMs = patienceMs): Promise<void> {
    await this.until(`${count} CDS`, withinMs, async () => {
      const cds = await this.parent.cdsOf(this.name, this.service.dnsPort);
      if (cds.length !== count) return false;
      // Compared before the parent serves them: the zone may take its next step at once after that.
      expect(cds).toEqual(await this.dsRecords());
      expect(await this.parent.followCds(this.name, this.service.dnsPort)).toEqual(cds);
      return true;
    });
  }

  /** Waits, with changes of the zone meanwhile, until something is so. */
  async until(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      if (await isSo()) return;
      await this.changes();
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    throw new Error(`${this.name}: ${what}: not within ${withinMs / 1000} s: ${await this.keys()}`);
  }

  /** Lets time pass in which the zone changes as ever. */
  async passes(seconds: number): Promise<void> {
    const until = Date.now() + seconds * 1000;
    await this.until('time passes', seconds * 1000 + 60_000, async () => Date.now() >= until);
  }

  /** Presentation forms of the DS that the status shows. */
  async dsRecords(): Promise<string[]> {
    const { ds_records: all } = await this.status();
    return all.map(({ presentation }: Json) => presentation).sort();
  }
}
