/** Zones that tests sign over HTTP, and what their parents are made to say. */
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import type { InProcessService } from './in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

/** A DS as the status shows it. */
interface ShownDs {
  readonly key_tag: number;
  readonly algorithm: number;
  readonly digest_type: number;
  readonly digest: string;
}

export function dsRdataOf(ds: ShownDs): Buffer {
  const { key_tag: tag, algorithm, digest_type: digestType, digest } = ds;
  const start = Buffer.of(tag >> 8, tag & 0xff, algorithm, digestType);
  return Buffer.concat([start, Buffer.from(digest, 'hex')]);
}

/** What a parent server says that serves these DS. */
export function serves(ds: readonly ShownDs[], ttlSeconds = 3600, address = 'parent:53') {
  const ttl = ds.length === 0 ? null : ttlSeconds;
  return { address, ds: ds.map(dsRdataOf), ttlSeconds: ttl } satisfies ParentAnswer;
}

/** A DS that differs in the first digit of its digest, whichever that is: it fits no key. */
export function foreignDs<Ds extends { readonly digest: string }>(ds: Ds): Ds {
  const digit = ds.digest.startsWith('0') ? '1' : '0';
  return { ...ds, digest: `${digit}${ds.digest.slice(1)}` };
}

export class SignedZoneDesk {
  readonly service: InProcessService;
  readonly name: string;

  constructor(service: InProcessService, name: string) {
    this.service = service;
    this.name = name;
  }

  get path(): string {
    return `/zones/${this.name}/dnssec`;
  }

  /** Makes the zone and signs it. */
  static async signed(service: InProcessService, name: string, policyName?: string) {
    const desk = new SignedZoneDesk(service, name);
    await service.createZone(name);
    const body = { parent_ns_addrs: ['192.0.2.1'], policy_name: policyName };
    await service.call('POST', desk.path, body, 201);
    return desk;
  }

  say(...answers: readonly ParentAnswer[]): void {
    this.service.parents = () => [...answers];
  }

  status(): Promise<Json> {
    return this.service.call('GET', this.path, undefined, 200);
  }

  post(action: string, body?: object): Promise<Json> {
    return this.service.call('POST', `${this.path}${action}`, body, 200);
  }

  refused(method: string, action: string, body: object | undefined, code: string, says = '') {
    return this.service.refused(method, `${this.path}${action}`, body, code, says);
  }

  /** Derived records of a type, as `owner value`. */
  async derived(type: string): Promise<string[]> {
    const path = `/records?zone_name=${this.name}&signed=true&type=${type}&limit=1000`;
    const { items } = await this.service.call('GET', path);
    return items.map(({ name, value }: { name: string; value: string }) => `${name} ${value}`);
  }

  /** The types of the RRsets that a key has signed. A tag may be as small as other numbers of an RRSIG. */
  async typesSignedBy(keyTag: number): Promise<(string | undefined)[]> {
    const signatures = (await this.derived('RRSIG')).map((line) => line.split(' '));
    // After the owner: type covered, algorithm, labels, TTL, expiration, inception, key tag (RFC 4034 3.2).
    return signatures.filter((words) => words[7] === String(keyTag)).map((words) => words[1]);
  }
}
