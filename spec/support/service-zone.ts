/**
 * A zone of a service in this process that tests change and have judged: what its users stored is kept
 * beside it, so that random changes can be drawn and steps be taken back.
 */
import {
  joinNames,
  type NameKey,
  parseAbsoluteName,
  printAbsoluteName,
} from '../../src/dns/name.ts';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import type { ResourceRecord } from '../../src/dns/record.ts';
import { printType, rrtype } from '../../src/dns/rrtype.ts';
import type { UserChange } from '../../src/dnssec/zone-view.ts';
import type { InProcessService } from './in-process.ts';
import { MemoryZone } from './signed-zone.ts';
import { complaintsOf } from './zone-verifiers.ts';

export class ServiceZone {
  readonly service: InProcessService;
  readonly name: string;
  readonly #apex: NameKey;
  #mirror = new MemoryZone([]);

  constructor(service: InProcessService, name: string) {
    this.service = service;
    this.name = name;
    this.#apex = parseAbsoluteName(name);
  }

  /** Stores a zone of these records, and nothing else. */
  static async create(service: InProcessService, name: string, records: Iterable<ResourceRecord>) {
    const zone = new ServiceZone(service, name);
    await service.createZone(name, { apex_ns: false, minimum_ttl: 600 });
    await zone.apply({ removed: [], added: [...records] });
    return zone;
  }

  /** What the users stored, as it should be. */
  get records(): MemoryZone {
    return this.#mirror;
  }

  serial(): Promise<number> {
    return this.service.serialOf(this.name);
  }

  dnssec(method: string, action: string, body?: object) {
    return this.service.call(method, `/zones/${this.name}/dnssec${action}`, body);
  }

  /** Takes a step by one request: where it only adds by a bulk, else by a file of the whole zone. */
  async apply({ removed, added }: UserChange): Promise<void> {
    this.#mirror.remove(removed);
    this.#mirror.add(added);
    if (removed.length === 0) await this.#createAll(added);
    else await this.replace();
  }

  /** Goes back to a version, whose records were these. */
  async rollback(serial: number, records: readonly ResourceRecord[]): Promise<void> {
    this.#mirror = new MemoryZone(records);
    await this.service.call('POST', `/zones/${this.name}/versions/${serial}/rollback`);
  }

  async #createAll(added: readonly ResourceRecord[]): Promise<void> {
    if (added.length === 0) return;
    const records = added.map(({ owner, type, ttl, rdata }) => {
      const name = printAbsoluteName(joinNames(owner, this.#apex));
      const text = printRdata(type, rdata);
      if (type !== rrtype.MX) return { name, type: printType(type), ttl, value: text };
      const [priority, value] = text.split(' ');
      return { name, type: 'MX', ttl, value, priority: Number(priority) };
    });
    await this.service.call('POST', '/records/bulk', { zone_name: this.name, records });
  }

  /** Makes the zone equal to what is kept beside it. */
  async replace(): Promise<void> {
    const lines = [...this.#mirror.records()].map(({ owner, type, ttl, rdata }) => {
      const name = printAbsoluteName(joinNames(owner, this.#apex));
      return `${name} ${ttl} IN ${printType(type)} ${printRdata(type, rdata)}`;
    });
    const body = { content: `${lines.join('\n')}\n`, mode: 'replace' };
    await this.service.call('POST', `/zones/${this.name}/import`, body);
  }

  async exported(): Promise<string> {
    const path = `/zones/${this.name}/export?signed=true`;
    const response = await this.service.fetch('GET', path);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the export answers ${response.status}: ${text}`);
    return text;
  }

  /** What other programs have against the zone now, as it is exported or was got otherwise. */
  async complaints(text?: string): Promise<string[]> {
    const { keys } = await this.dnssec('GET', '');
    return complaintsOf(text ?? (await this.exported()), {
      origin: `${this.name}.`,
      now: this.service.now(),
      cskCount: keys.filter(({ role }: { role: string }) => role === 'csk').length,
    });
  }

  /** Its records without what the time of signing decides: signatures, and the serial. */
  async meaning(): Promise<string[]> {
    return meaningOf(await this.exported());
  }

  async signatures(): Promise<string[]> {
    return linesOf(await this.exported()).filter((line) => line.split(' ')[3] === 'RRSIG');
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).join(' '))
    .filter((line) => line !== '' && !/^[;$]/.test(line));
}

function meaningOf(text: string): string[] {
  return linesOf(text)
    .map((line) => {
      const fields = line.split(' ');
      const type = fields[3];
      // Original TTL, expiration, inception, key tag, signer, signature.
      if (type === 'RRSIG') return [...fields.slice(0, 8), ...fields.slice(10, 12)].join(' ');
      if (type === 'SOA') return [...fields.slice(0, 6), ...fields.slice(7)].join(' ');
      return line;
    })
    .sort();
}
