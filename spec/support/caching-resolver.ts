/**
 * unbound as a resolver that validates from a parent zone down and caches what it heard, and a watch that
 * asks it without pause: nothing may ever be bogus.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import dnsPacket from 'dns-packet';
import { optRecord, recursionDesired, requestMessage } from './dns-messages.ts';
import { answerByUdp } from './exchanges.ts';
import { freePort } from './ports.ts';
import { PeerProcess, peerFolder } from './signed-peers.ts';
import { patienceMs } from './patience.ts';

export interface ResolverSetup {
  /** Where each zone is served on loopback; any of the ports of one may be asked. */
  readonly servers: Readonly<Record<string, readonly number[]>>;
  /** A DNSKEY or DS record. */
  readonly anchor: string;
  /** The most that it keeps anything, where that is to be less than TTLs say. */
  readonly mostSeconds?: number;
  /** Further lines of its `server:` section, in place of those that make it strict. */
  readonly options?: readonly string[];
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startCachingResolver(setup: ResolverSetup): Promise<PeerProcess> {
  const { servers, anchor, mostSeconds, options = ['harden-algo-downgrade: yes'], env } = setup;
  const folder = peerFolder('unbound');
  const port = await freePort();
  const stubs = Object.entries(servers).map(([zone, ports]) => {
    const addresses = ports.map((each) => `  stub-addr: 127.0.0.1@${each}\n`);
    return `stub-zone:\n  name: "${zone}."\n${addresses.join('')}`;
  });
  const caps =
    mostSeconds === undefined
      ? ''
      : `  cache-max-ttl: ${mostSeconds}\n  cache-max-negative-ttl: ${mostSeconds}\n`;
  writeFileSync(
    join(folder, 'unbound.conf'),
    `server:
  interface: 127.0.0.1
  port: ${port}
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  num-threads: 1
  do-ip6: no
  do-not-query-localhost: no
  target-fetch-policy: "0 0 0 0 0"
  module-config: "validator iterator"
  local-zone: "test." nodefault
${options.map((option) => `  ${option}\n`).join('')}  val-log-level: 2
  val-bogus-ttl: 1
  ede: yes
${caps}  trust-anchor: "${anchor}"
remote-control:
  control-enable: no
${stubs.join('')}`,
  );
  return new PeerProcess('unbound', ['-d', '-c', 'unbound.conf'], folder, port, env);
}

export type Kind = 'positive' | 'NODATA' | 'NXDOMAIN';

export interface Seen {
  /** What came: of an answer its kind, else the RCODE or that there was none. */
  readonly kind: string;
  readonly isSecure: boolean;
  /** What extended errors say (RFC 8914). */
  readonly why: string;
}

const doFlag = 0x8000;
const cdFlag = 0x0010;

/** Asks a resolver one question, with CD where it shall not judge (RFC 4035 3.2.2). */
export async function askResolver(
  port: number,
  name: string,
  type: string,
  checkingDisabled = false,
): Promise<Seen> {
  const id = Math.floor(Math.random() * 65_536);
  const additional = [optRecord({ payload: 4096, flags: doFlag })];
  const flags = recursionDesired | (checkingDisabled ? cdFlag : 0);
  const request = requestMessage({ id, name, type, flags, additional });
  const answer = await answerByUdp(port, request, 20_000);
  if (answer === undefined) return { kind: 'no answer', isSecure: false, why: '' };
  const packet = dnsPacket.decode(answer);
  const rcode = (packet as unknown as { rcode: string }).rcode;
  const isFound = (packet.answers ?? []).some((each) => each.type === type);
  const kind = rcode === 'NOERROR' ? (isFound ? 'positive' : 'NODATA') : rcode;
  return { kind, isSecure: packet.flag_ad, why: extendedErrorsOf(packet) };
}

function extendedErrorsOf({ additionals = [] }: dnsPacket.DecodedPacket): string {
  const opt = additionals.find(({ type }) => type === 'OPT') as
    | { options: RawOption[] }
    | undefined;
  const errors = (opt?.options ?? []).filter(({ code }) => code === 15);
  return errors.map(({ data }) => `${data.readUInt16BE(0)} ${data.subarray(2)}`).join(', ');
}

interface RawOption {
  readonly code: number;
  readonly data: Buffer;
}

/** Name, type, and what kind of answer there is to them. */
export type Question = readonly [name: string, type: string, kind: Kind];

/** One question for every kind of answer of a zone (life-of-zone.ts); `round` makes some of them new. */
export function questionsOf(zone: string, round: number): readonly Question[] {
  return [
    [`www.${zone}`, 'A', 'positive'],
    [`fast.${zone}`, 'A', 'positive'],
    [`x${round}.wild.${zone}`, 'TXT', 'positive'],
    [`n${round}.${zone}`, 'A', 'NXDOMAIN'],
    [`n${round}.b.ent.${zone}`, 'A', 'NXDOMAIN'],
    [`www.${zone}`, 'TXT', 'NODATA'],
    [`ent.${zone}`, 'A', 'NODATA'],
    [`plain.${zone}`, 'DS', 'NODATA'],
    [zone, 'SOA', 'positive'],
    [zone, 'NS', 'positive'],
  ];
}

/** Times that a question is asked, 20 seconds each, before having no answer counts as wrong. */
const mostAsked = 4;

/** Asks for every kind of answer of a zone, again and again, and remembers what was not as it should be. */
export class BogusWatch {
  readonly wrong: string[] = [];
  readonly #port: number;
  readonly #zone: string;
  readonly #started = Date.now();
  /** Whether answers must be secure, must not, or may be either. */
  #wanted: boolean | undefined;
  #isStopped = false;
  #rounds = 0;
  #loop: Promise<void>;

  constructor(port: number, zone: string) {
    this.#port = port;
    this.#zone = zone;
    this.#loop = this.#run();
  }

  #questions(): readonly Question[] {
    return questionsOf(this.#zone, this.#rounds++);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      for (const [name, type, kind] of this.#questions()) {
        const wanted = this.#wanted;
        const seen = await this.#judged(name, type);
        const isWrong =
          seen.kind !== kind ||
          (wanted !== undefined && wanted === this.#wanted && seen.isSecure !== wanted);
        if (isWrong) {
          const at = ((Date.now() - this.#started) / 1000).toFixed(1);
          const manner = seen.isSecure ? 'secure' : 'not secure';
          this.wrong.push(`${at} s: ${name} ${type}: ${seen.kind}, ${manner} ${seen.why}`);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** On a busy host a server may keep the resolver waiting: what is not answered was not judged, so ask again. */
  async #judged(name: string, type: string): Promise<Seen> {
    for (let asked = 1; ; asked++) {
      const seen = await askResolver(this.#port, name, type);
      if (seen.kind !== 'no answer' || asked === mostAsked) return seen;
    }
  }

  /** Waits until every kind of answer is secure (or not), and from then on insists on it. */
  async settles(isSecure: boolean, withinMs = patienceMs): Promise<void> {
    this.#wanted = undefined;
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      const seen: boolean[] = [];
      for (const [name, type] of this.#questions()) {
        seen.push((await askResolver(this.#port, name, type)).isSecure);
      }
      if (seen.every((each) => each === isSecure)) {
        this.#wanted = isSecure;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error(`${this.#zone} does not turn ${isSecure ? 'secure' : 'insecure'}`);
  }

  /** From now on answers may be secure or not, but not bogus. */
  letsGo(): void {
    this.#wanted = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
  }
}
