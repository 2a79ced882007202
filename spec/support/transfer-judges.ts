/**
 * Other people's programs as judges of what the service stores: named, knotd and nsd load every zone by
 * AXFR and IXFR, a client in dnspython compares, and the checkers of zone files read every export.
 *
 * named and knotd find zones by the catalog, as their pages say; nsd is told each zone. Those that sign have a
 * key of the longest name there is, and are notified with it.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { destinationOf } from './destination.ts';
import { parseRdata } from '../../src/dns/rdata/rdata.ts';
import { parseType } from '../../src/dns/rrtype.ts';
import { probeSoa } from '../../src/outbound/soa-probe.ts';
import { type ControlledNsd, startControlledNsd } from './controlled-nsd.ts';
import { type PageSecondary, startFromPage } from './page-secondaries.ts';
import { peer } from './peers.ts';
import { hasNoted } from './nsd-control.ts';
import type { PeerKey, SecondaryKind } from './secondaries.ts';
import { type RunningService, startService } from './service.ts';
import { type ExpectedRow, TransferClient } from './transfer-client.ts';
import { patienceMs } from './patience.ts';

/** 253 characters, 255 bytes: the longest name a key can have. */
export const longestKeyName = ['k'.repeat(63), 'l'.repeat(63), 'm'.repeat(63), 'n'.repeat(61)].join(
  '.',
);

export const judgeNames = [
  'named',
  'knotd',
  'nsd',
  'nsd-control',
  'dnspython',
  'named-checkzone',
  'kzonecheck',
  'nsd-checkzone',
];

/** nsd may keep a transfer that it took, in files, for minutes before it serves it: told to, it reads them. */
const reloadMs = 10_000;

interface Judge {
  readonly kind: string;
  readonly port: number;
  readonly folder: string;
  readonly log: string;
}

export class TransferJudges {
  readonly service: RunningService;
  readonly client = new TransferClient();
  /** Signs what knotd asks; its role may transfer all zones. */
  readonly longestKey: PeerKey;
  /** Signs updates; its role is admin. */
  readonly updateKey: PeerKey;
  readonly #nsd: ControlledNsd;
  readonly #judges: readonly Judge[];
  readonly #owned: readonly AsyncDisposable[];
  #files = 0;

  private constructor(
    service: RunningService,
    keys: { readonly longestKey: PeerKey; readonly updateKey: PeerKey },
    named: PageSecondary,
    knotd: PageSecondary,
    nsd: ControlledNsd,
  ) {
    this.service = service;
    this.longestKey = keys.longestKey;
    this.updateKey = keys.updateKey;
    this.#nsd = nsd;
    this.#judges = [named, knotd, nsd];
    this.#owned = [named, knotd, nsd, this.client, service];
  }

  /** `signers`: the judges that sign what they ask, and get signed NOTIFY. */
  static async start(
    signers: readonly SecondaryKind[] = ['knotd'],
    env: Record<string, string> = {},
  ): Promise<TransferJudges> {
    const service = await startService({
      ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
      ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'false',
      ...env,
    });
    const key = await makeLongestKey(service);
    const algorithm = 'hmac-sha256';
    const asAdmin = { name: 'updater', role_name: 'admin', algorithm };
    const { secret } = await service.must('POST', '/tsig-keys', asAdmin);
    const updateKey = { name: 'updater', algorithm, secret };
    for (const denial of ['nsec', 'nsec3']) {
      await service.must('POST', '/dnssec-policies', { name: denial, denial });
    }
    await service.must('POST', '/secondaries', { name: 'early', address: '127.0.0.1:9' });
    const optionsOf = (kind: SecondaryKind) => (signers.includes(kind) ? { key } : {});
    const handsOut = true;
    const named = await startFromPage('named', service.dnsPort, {
      ...optionsOf('named'),
      handsOut,
    });
    const knotd = await startFromPage('knotd', service.dnsPort, {
      ...optionsOf('knotd'),
      handsOut,
    });
    const nsd = await startControlledNsd(service.dnsPort, optionsOf('nsd').key);
    const judges = new TransferJudges(service, { longestKey: key, updateKey }, named, knotd, nsd);
    await service.must('DELETE', '/secondaries/early');
    for (const { kind, port } of [named, knotd, nsd]) {
      const notify_key_name = signers.includes(kind as SecondaryKind) ? key.name : null;
      const address = `127.0.0.1:${port}`;
      await service.must('POST', '/secondaries', { name: kind, address, notify_key_name });
    }
    return judges;
  }

  /** Announces a zone to the judge that reads no catalog. */
  async follow(zone: string): Promise<void> {
    await this.#nsd.add(zone);
  }

  async leave(zone: string): Promise<void> {
    await this.#nsd.remove(zone);
    await this.client.forget(zone);
  }

  /** Marks the logs: refusals before this moment do not count. */
  mark(): Map<string, number> {
    return new Map(this.#judges.map(({ kind, log }) => [kind, log.length]));
  }

  /**
   * Waits until all judges serve the zone as it stands, and says what they have against it: a refusal
   * that was logged since `mark`, or a difference of records. A zone without NS is not shown to named.
   */
  async complaints(
    zone: string,
    mark: Map<string, number>,
    hasServers: boolean,
  ): Promise<string[]> {
    const { serial } = (await this.service.must('GET', pathOf(zone))).zone;
    const judges = this.#judges.filter(({ kind }) => hasServers || kind !== 'named');
    const refusals = await Promise.all(
      judges.map((judge) => this.#followed(judge, zone, serial, mark.get(judge.kind) ?? 0)),
    );
    const refused = refusals.flat();
    if (refused.length > 0) return refused;
    return this.client.check({
      zone: (await this.service.must('GET', pathOf(zone))).zone,
      rows: await this.rows(zone),
      primary: this.service.dnsPort,
      secondaries: judges.map(({ kind, port }) => ({ kind, port })),
      history: zone,
    });
  }

  async #followed(judge: Judge, zone: string, serial: number, from: number): Promise<string[]> {
    const target = destinationOf('127.0.0.1', judge.port);
    let seen: number | null = null;
    let reloadAt = Date.now() + reloadMs;
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      const finding = await probeSoa(target, zone, { tryMs: 2000, tries: 1 }).catch(() => null);
      seen = finding?.serial ?? null;
      const log = judge.log.slice(from);
      const lines = refusalsIn(judge.kind, log, zone);
      // Of the time before the zone had NS named may speak when it has; it must serve what is there now.
      const isOfBefore = log.includes(`zone ${zone}/IN: has no NS records`);
      if (lines.length > 0 && !isOfBefore) return [`${judge.kind} refuses the zone: ${lines[0]}`];
      if (seen === serial && (await hasNoted(judge, zone, serial))) return [];
      if (judge === this.#nsd && Date.now() > reloadAt) {
        await this.#nsd.control('reload', zone).catch(() => undefined);
        reloadAt = Date.now() + reloadMs;
      }
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    const tail = judge.log.split('\n').filter((line) => line.includes(zone));
    return [`${judge.kind} serves ${seen}, not ${serial}: ${tail.slice(-5).join('\n')}`];
  }

  /** Whether the zone has NS at its apex; named loads no zone without. */
  async hasServers(zone: string): Promise<boolean> {
    const query = `zone_name=${encodeURIComponent(zone)}&name=@&type=NS`;
    const { pagination } = await this.service.must('GET', `/records?${query}`);
    return pagination.total > 0;
  }

  /** All rows of a zone with signed=true, with the RDATA they mean. */
  async rows(zone: string): Promise<ExpectedRow[]> {
    const found: ExpectedRow[] = [];
    for (let total = 1; found.length < total; ) {
      const query = `zone_name=${encodeURIComponent(zone)}&signed=true&limit=1000`;
      const path = `/records?${query}&offset=${found.length}`;
      const { items, pagination } = await this.service.must('GET', path);
      total = pagination.total;
      for (const { name, type, ttl, value, priority } of items) {
        const number = parseType(type)!;
        const hex = parseRdata(number, value, priority).toString('hex');
        found.push({ name, type: number, ttl, value, priority, hex });
      }
    }
    return found;
  }

  /** What the checkers of zone files have against the zone as it is exported. */
  async fileComplaints(zone: string): Promise<string[]> {
    const text = await this.service.must('GET', `${pathOf(zone)}/export?signed=true`);
    const file = join(this.service.dataDir, `exported-${++this.#files}`);
    writeFileSync(file, text);
    const origin = `${zone}.`;
    const found = await Promise.all([
      complaintOf('named-checkzone', ['-i', 'none', '-k', 'ignore', origin, file]),
      complaintOf('kzonecheck', ['-o', origin, file]),
      complaintOf('nsd-checkzone', [origin, file]),
    ]);
    return found.filter((each) => each !== undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#owned) await each[Symbol.asyncDispose]();
  }
}

export function pathOf(zone: string): string {
  return `/zones/${encodeURIComponent(zone)}`;
}

/** A key of the longest name that may transfer all zones. */
export async function makeLongestKey(service: RunningService): Promise<PeerKey> {
  const algorithm = 'hmac-sha512';
  await service.must('POST', '/roles', { name: 'mover' });
  await service.must('POST', '/roles/mover/grants', { actions: ['zone:transfer'] });
  const body = { name: longestKeyName, role_name: 'mover', algorithm };
  const { secret } = await service.must('POST', '/tsig-keys', body);
  return { name: longestKeyName, algorithm, secret };
}

/**
 * Lines by which a server says that it does not take the zone it was sent. To be refused an IXFR (`not allowed`) is no
 * such thing: the zone was not there for a moment.
 */
function refusalsIn(kind: string, log: string, zone: string): string[] {
  const name = zone.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const passing = 'success|up to date|NOTAUTH|REFUSED|timed out|shutting down|connection|canceled';
  const patterns: Record<string, RegExp> = {
    named: new RegExp(`transfer of '${name}/IN'.*Transfer status: (?!.*(?:${passing})).*`, 'g'),
    knotd: new RegExp(
      `.*\\[${name}\\.\\] .*(?:failed \\((?:malformed|semantic|trailing|invalid).*|` +
        'fallback to AXFR(?! \\(not allowed\\)).*)',
      'g',
    ),
    nsd: new RegExp(`.*zone ${name} bad transfer.*|.*diff: .*${name}.*`, 'g'),
  };
  return log.match(patterns[kind]!) ?? [];
}

/**
 * Refused for reasons that are no fault of a zone in service: addresses of name servers that are not there
 * (their makers' servers load it), DS of algorithms that Knot does not know, and MD and MF, which BIND takes by
 * transfer and from no file.
 */
const pardoned =
  /missing glue record|invalid algorithm in DS|has no address records|is a CNAME \(illegal\)|is below a DNAME|type 'M[DF]': obsolete|failed: obsolete/;
/** Lines that say nothing of their own. */
const silent = /^\s*$|warning:|not loaded due to errors|[Ss]erious|Error summary|^\s*\d+\t|^OK$/;
const attempts = 5;

async function complaintOf(program: string, args: string[]): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      await promisify(execFile)(peer(program)!, args, { maxBuffer: 1 << 26 });
      return undefined;
    } catch (error) {
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code?: number };
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => !silent.test(line));
      // Knot's checker dies or gives up now and then on a busy machine.
      const hasFailed = typeof code !== 'number' || lines.some((line) => gaveUp.test(line));
      if (hasFailed && tries < attempts) continue;
      const faults = lines.filter((line) => !pardoned.test(line));
      if (faults.length === 0 && lines.length > 0) return undefined;
      return `${program} (${code}): ${faults.slice(0, 3).join(' / ').slice(0, 600)}`;
    }
  }
}

const gaveUp = /failed to run semantic checks/;
