/**
 * Plays a story of requests on a zone of its own and has every accepted change judged. What the service
 * refuses must be refused with a reason, never by a failure of its own, and must leave the zone as it was.
 */
import { limits } from '../../src/base/limits.ts';
import { joinNames, parseAbsoluteName, printAbsoluteName } from '../../src/dns/name.ts';
import { parseRdataText } from '../../src/dns/rdata/rdata.ts';
import { parseType, rrtype } from '../../src/dns/rrtype.ts';
import { parseOwner } from '../../src/domain/record.ts';
import type { CannedPrimary, CannedRecord } from './canned-primary.ts';
import { bytesOf, ownerIn, textOf, valueJson } from './record-values.ts';
import type { Reply } from './service.ts';
import type { UpdateChange } from './transfer-client.ts';
import { pathOf, type TransferJudges } from './transfer-judges.ts';
import type { Story, RawRecord, ZoneBeginning, ZoneRequest } from './zone-requests.ts';

/** Above what one command takes (limits.commandRecords): such a change is staged. */
const stagedCount = 3001;

const soaText = 'ns1.other.test. hostmaster.other.test. 1 300 60 3600000 60';

export interface PlayServices {
  readonly judges: TransferJudges;
  readonly primary: CannedPrimary;
}

let zonesMade = 0;

/** Undefined when all went well; else the requests that led to the fault, and the fault. */
export async function playStory(services: PlayServices, story: Story): Promise<string | undefined> {
  const player = new ZonePlayer(services, story.beginning.name);
  try {
    return player.tell(await player.play(story));
  } finally {
    await player.leave();
  }
}

function zoneNameOf(form: ZoneBeginning['name']): string {
  const number = ++zonesMade;
  switch (form) {
    case 'short':
      return `z${number}.test`;
    case 'one label':
      return `single${number}`;
    case 'three labels':
      return `z${number}.sub.test`;
    case '253 characters': {
      const last = `${'z'.repeat(55)}${String(number).padStart(6, '0')}`;
      return [last, 'y'.repeat(63), 'x'.repeat(63), `${'w'.repeat(58)}`, 'test'].join('.');
    }
    default:
      return `0/${number}._x.xn--bcher-kva.test`;
  }
}

export class ZonePlayer {
  /** What was asked and answered so far, a line each. */
  readonly told: string[] = [];
  readonly #services: PlayServices;
  readonly #names: string[] = [];
  #mark: Map<string, number>;
  #zone: string;
  #hadServers = false;
  #isGone = false;

  constructor(services: PlayServices, form: ZoneBeginning['name']) {
    this.#services = services;
    this.#zone = zoneNameOf(form);
    this.#mark = services.judges.mark();
  }

  async play({ beginning, requests }: Story): Promise<string[]> {
    const first = await this.#begin(beginning);
    if (first.length > 0 || this.#isGone) return first;
    const faults = await this.continueWith(requests);
    if (faults.length > 0 || this.#isGone || !this.#hadServers) return faults;
    return this.#services.judges.fileComplaints(this.#zone);
  }

  async #begin({ fields }: ZoneBeginning): Promise<string[]> {
    await this.#follow(this.#zone);
    const created = await this.#http('POST', '/zones', this.#creation(fields));
    this.#isGone = created !== 'accepted';
    if (created === 'failed') return ['the service failed'];
    return this.#isGone ? [] : this.#judge();
  }

  /** Plays further requests, and says what was wrong about the first one that went wrong. */
  async continueWith(requests: Story['requests']): Promise<string[]> {
    let isJudged = true;
    for (const { request, endsGroup } of requests) {
      if (this.#isGone) return [];
      const before = await this.#state();
      const verdict = await this.#play(request);
      if (verdict === 'failed') return ['the service failed'];
      this.#isGone = verdict === 'gone';
      if (verdict === 'refused') {
        const after = await this.#state();
        if (after !== before) return [`what was refused changed the zone: ${before}, now ${after}`];
      }
      if (verdict !== 'accepted') continue;
      isJudged = endsGroup;
      const faults = isJudged ? await this.#judge() : [];
      if (faults.length > 0) return faults;
    }
    return isJudged || this.#isGone ? [] : this.#judge();
  }

  /** Returns what takes the player back to this moment, once the database was taken back to it. */
  remember(): () => Promise<string[]> {
    const [zone, hadServers, isGone] = [this.#zone, this.#hadServers, this.#isGone];
    return () => {
      this.told.push('  (the database is taken back)');
      this.#mark = this.#services.judges.mark();
      [this.#zone, this.#hadServers, this.#isGone] = [zone, hadServers, isGone];
      return isGone ? Promise.resolve([]) : this.#judge();
    };
  }

  /** The requests and what came of them; undefined when nothing was wrong. */
  tell(faults: readonly string[]): string | undefined {
    if (faults.length === 0) return undefined;
    return `${this.told.join('\n')}\n  => ${faults.join('\n  => ')}`;
  }

  async leave(): Promise<void> {
    const { judges } = this.#services;
    await judges.service.call('DELETE', pathOf(this.#zone));
    for (const name of this.#names) await judges.leave(name);
  }

  async #follow(name: string): Promise<void> {
    await this.#services.judges.follow(name);
    this.#names.push(name);
  }

  /** A zone may be created without servers, which named does not load; it never loses all it has. */
  async #judge(): Promise<string[]> {
    const { judges } = this.#services;
    const hasServers = await judges.hasServers(this.#zone);
    if (this.#hadServers && !hasServers) return ['the zone has lost its last NS at the apex'];
    this.#hadServers = hasServers;
    return judges.complaints(this.#zone, this.#mark, hasServers);
  }

  /** Serial and records, to tell whether anything changed. */
  async #state(): Promise<string> {
    const { service } = this.#services.judges;
    const zone = (await service.call('GET', pathOf(this.#zone))).body.zone;
    const { body } = await service.call('GET', this.#recordsPath());
    return JSON.stringify([zone, body.pagination?.total, body.items?.slice(0, 200)]);
  }

  #recordsPath(limit = 1000): string {
    return `/records?zone_name=${encodeURIComponent(this.#zone)}&sort=created_at&limit=${limit}`;
  }

  #creation(fields: object) {
    const soa = { mname: 'ns1.other.test', rname: 'hostmaster@other.test' };
    return { name: this.#zone, ...soa, ...fields };
  }

  async #send(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await this.#services.judges.service.call(method, path, body);
    const said = reply.status < 300 ? '' : `: ${JSON.stringify(reply.body).slice(0, 200)}`;
    const given = body === undefined ? '' : ` ${excerpt(JSON.stringify(body))}`;
    this.told.push(`  ${method} ${path}${given} -> ${reply.status}${said}`);
    return reply;
  }

  async #http(method: string, path: string, body?: unknown): Promise<Verdict> {
    return outcomeOf(await this.#send(method, path, body));
  }

  #play(request: ZoneRequest): Promise<Verdict> {
    const path = pathOf(this.#zone);
    switch (request.way) {
      case 'create':
        return this.#http('POST', '/records', {
          zone_name: this.#zone,
          ...this.#json(request.record),
        });
      case 'bulk': {
        const records = [...request.records.map((one) => this.#json(one))];
        if (request.isLarge) records.push(...hosts());
        return this.#http('POST', '/records/bulk', { zone_name: this.#zone, records });
      }
      case 'update':
        return this.#update(request.pick, request.to);
      case 'delete':
        return this.#delete(request.pick);
      case 'delete-by': {
        const name = encodeURIComponent(ownerIn(request.name, this.#zone));
        const type = request.type === undefined ? '' : `&type=${request.type}`;
        const query = `zone_name=${encodeURIComponent(this.#zone)}&name=${name}${type}`;
        return this.#http('DELETE', `/records?${query}`);
      }
      case 'import':
        return this.#import(request);
      case 'dynamic-update':
        return this.#dynamicUpdate(request);
      case 'external-dns':
        return this.#http('POST', '/external-dns/changes', {
          creates: request.creates.map((one) => this.#endpoint(one)),
          deletes: request.deletes.map((one) => this.#endpoint(one)),
        });
      case 'rollback':
        return this.#rollback(request.pick);
      case 'settings':
        return this.#http('PUT', path, request.fields);
      case 'rename':
        return this.#rename();
      case 'dnssec':
        return this.#dnssec(request.policy);
      case 'delete-and-restore':
        return this.#both(['DELETE', path], ['POST', `${path}/restore`]);
      case 'delete-and-create':
        this.#hadServers = false;
        return this.#both(['DELETE', path], ['POST', '/zones', this.#creation({})]);
      case 'disable-and-enable':
        return this.#both(['PUT', path, { enabled: false }], ['PUT', path, { enabled: true }]);
      default:
        return request satisfies never;
    }
  }

  async #both(...requests: [string, string, object?][]): Promise<Verdict> {
    for (const [index, [method, path, body]] of requests.entries()) {
      const verdict = await this.#http(method, path, body);
      if (verdict === 'refused' && index > 0) return 'gone';
      if (verdict !== 'accepted') return verdict;
    }
    return 'accepted';
  }

  /** Of a record of this zone; where it has none, an id that no record has, those of other zones included. */
  async #anId(pick: number): Promise<number> {
    const { body } = await this.#services.judges.service.call('GET', this.#recordsPath());
    const items = body.items ?? [];
    return items.length === 0 ? limits.id : items[pick % items.length].id;
  }

  async #update(pick: number, to: Partial<RawRecord>): Promise<Verdict> {
    const path = `/records/${await this.#anId(pick)}`;
    const { name, ttl, type, value } = to;
    if (type === undefined || value === undefined) {
      return this.#http('PUT', path, {
        ...(name === undefined ? {} : { name: ownerIn(name, this.#zone) }),
        ttl,
      });
    }
    return this.#http('PUT', path, valueJson(type, textOf(value)));
  }

  async #delete(pick: number): Promise<Verdict> {
    return this.#http('DELETE', `/records/${await this.#anId(pick)}`);
  }

  async #import(request: ZoneRequest & { way: 'import' }): Promise<Verdict> {
    const { mode, records, isLarge, from } = request;
    const path = `${pathOf(this.#zone)}/import`;
    if (from === 'server') {
      const canned = records.flatMap((one) => this.#canned(one));
      const apex = `${this.#zone}.`;
      const soa = {
        owner: apex,
        type: rrtype.SOA,
        ttl: 60,
        rdata: parseRdataText(rrtype.SOA, soaText),
      };
      this.#services.primary.hold(this.#zone, [soa, ...canned]);
      this.told.push(
        `  (the primary has ${records.map((one) => excerpt(this.#line(one))).join('; ')})`,
      );
      return this.#http('POST', path, { mode, from_server: this.#services.primary.address });
    }
    const lines = records.map((one) => this.#line(one));
    if (isLarge) {
      lines.push(...hosts().map(({ name, value, ttl }) => `${name} ${ttl} IN A ${value}`));
    }
    return this.#http('POST', path, { mode, content: lines.map((line) => `${line}\n`).join('') });
  }

  async #dynamicUpdate(request: ZoneRequest & { way: 'dynamic-update' }): Promise<Verdict> {
    const { judges } = this.#services;
    const deleted = request.deleted.map(({ name, type }): UpdateChange => {
      return [
        'delete',
        ownerIn(name, this.#zone),
        0,
        type === undefined ? null : parseType(type)!,
        null,
      ];
    });
    const added = request.added.flatMap((one) => {
      const [record] = this.#canned(one);
      if (record === undefined) return [];
      const { type, ttl, rdata } = record;
      const owner = ownerIn(one.name, this.#zone);
      return [['add', owner, ttl, type, rdata.toString('hex')] as UpdateChange];
    });
    const changes = [...deleted, ...added];
    if (request.soa !== undefined) {
      const { serial, refresh, minimum } = request.soa;
      const rdata = Buffer.alloc(22);
      for (const [index, field] of [serial, refresh, 60, 3600, minimum].entries()) {
        rdata.writeUInt32BE(field, 2 + 4 * index);
      }
      changes.push(['add', '@', 60, rrtype.SOA, rdata.toString('hex')]);
    }
    const key = request.isSigned ? judges.updateKey : null;
    const asked = { port: judges.service.dnsPort, zone: `${this.#zone}.`, key, changes };
    const rcode = await judges.client.update(asked);
    const sign = request.isSigned ? 'signed ' : '';
    this.told.push(`  ${sign}UPDATE ${excerpt(JSON.stringify(changes))} -> ${rcode}`);
    if (rcode === 'SERVFAIL') return 'failed';
    return rcode === 'NOERROR' ? 'accepted' : 'refused';
  }

  async #rollback(pick: number): Promise<Verdict> {
    const { service } = this.#services.judges;
    const { body } = await service.call('GET', `${pathOf(this.#zone)}/versions?limit=1000`);
    const items = body.items ?? [];
    const serial = items.length === 0 ? 1 : items[pick % items.length].serial;
    return this.#http('POST', `${pathOf(this.#zone)}/versions/${serial}/rollback`);
  }

  async #rename(): Promise<Verdict> {
    const name = `renamed${++zonesMade}.test`;
    await this.#follow(name);
    const verdict = await this.#http('PUT', pathOf(this.#zone), { name });
    if (verdict === 'accepted') this.#zone = name;
    return verdict;
  }

  #dnssec(policy: string | undefined): Promise<Verdict> {
    const path = `${pathOf(this.#zone)}/dnssec`;
    if (policy === undefined) return this.#http('DELETE', `${path}?skip_ds_check=true`);
    return this.#http('POST', path, { policy_name: policy, parent_ns_addrs: ['127.0.0.1:9'] });
  }

  #json({ name, ttl, type, value }: RawRecord) {
    const owner = ownerIn(name, this.#zone);
    return { name: owner, ttl: ttl ?? null, ...valueJson(type, textOf(value)) };
  }

  #line({ name, ttl, type, value }: RawRecord): string {
    return `${ownerIn(name, this.#zone)} ${ttl ?? 300} IN ${type} ${textOf(value)}`;
  }

  #endpoint({ name, ttl, type, value }: RawRecord) {
    const owner = ownerIn(name, this.#zone);
    const full = owner === '@' ? this.#zone : `${owner}.${this.#zone}`;
    return { name: full, type, ...(ttl === undefined ? {} : { ttl }), values: [textOf(value)] };
  }

  /** A record as bytes; none where the text is no record. */
  #canned({ name, ttl, type, value }: RawRecord): CannedRecord[] {
    try {
      const number = parseType(type)!;
      const apex = parseAbsoluteName(this.#zone);
      const owner = printAbsoluteName(joinNames(parseOwner(ownerIn(name, this.#zone), apex), apex));
      return [{ owner, type: number, ttl: ttl ?? 300, rdata: bytesOf(number, textOf(value)) }];
    } catch {
      return [];
    }
  }
}

/** `gone`: the zone was deleted or disabled, and what should bring it back was refused. */
type Verdict = 'accepted' | 'refused' | 'failed' | 'gone';

function outcomeOf({ status }: Reply): Verdict {
  if (status < 300) return 'accepted';
  return status < 500 ? 'refused' : 'failed';
}

function hosts() {
  return Array.from({ length: stagedCount }, (_, index) => {
    const value = `10.0.${Math.floor(index / 250)}.${index % 250}`;
    return { name: `host${index}`, ttl: 60, type: 'A', value };
  });
}

function excerpt(text: string): string {
  if (text.length <= 900) return text;
  return `${text.slice(0, 500)}...(${text.length} characters)`;
}
