/**
 * Zones that have lived, and callers with all kinds of grants: what reads are tried on.
 *
 * Grants are made while the zones are as they were first, so that some follow a zone through a new name and
 * others go with a zone that is deleted.
 */
import { actions } from '../../src/base/action.ts';
import { InProcessService } from '../support/in-process.ts';
import { ModelCaller, type ModelGrant } from './model.ts';
import type { Random } from './random.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are compared as they are.
export type Json = any;

export interface Answered {
  readonly status: number;
  readonly body: Json;
  readonly etag: string | null;
}

export interface WorldZone {
  readonly id: number;
  readonly name: string;
  readonly serial: number;
}

export interface Caller {
  readonly name: string;
  readonly secret: string;
  readonly model: ModelCaller;
  /** For who reads of a failure. */
  readonly grants: readonly ModelGrant[];
}

export const missingZone = 'nowhere.example';
/** Names that no zone has any more. */
export const formerNames = ['gone.example', 'before.example'];
const firstZones = [
  'plain.example',
  'sub.plain.example',
  'off.example',
  'signed.example',
  'before.example',
  'back.example',
  'twice.example',
  'gone.example',
];

const recordsOfEach = [
  ['www', 'A', '192.0.2.1'],
  ['www', 'A', '192.0.2.2'],
  ['www', 'TXT', 'hidden words'],
  ['sub', 'A', '192.0.2.3'],
  ['a.sub', 'AAAA', '2001:db8::1'],
  ['b.a.sub', 'TXT', 'deep'],
  ['suba', 'A', '192.0.2.4'],
  ['*.wild', 'A', '192.0.2.5'],
  ['mail', 'MX', 'mx.example.net.'],
] as const;

const patterns = [
  '*',
  '*',
  '*',
  '@',
  'www',
  'sub',
  '*.sub',
  '*.a.sub',
  'suba',
  '\\*.wild',
  'moved',
  'a.**',
  'www.**',
];
const typeLists = ['*', '*', '*', 'A', 'TXT', 'A,TXT', 'AAAA,MX', 'NS'];
const readActions = actions.filter((action) => action.endsWith(':read'));

export class World {
  readonly service = new InProcessService({ authenticationRequired: true });
  readonly callers: Caller[] = [];
  zones: readonly WorldZone[] = [];
  deleted: readonly WorldZone[] = [];
  recordIds: readonly number[] = [];
  readonly #cache = new Map<string, Promise<Answered>>();
  readonly #firstIds = new Map<string, number>();
  /** The zones that records were made in. */
  readonly #zonesOfRecords = new Map<number, number>();

  async build(random: Random, callers: number): Promise<void> {
    const local = (method: string, path: string, body?: object) =>
      this.service.call(method, path, body, undefined, 'local');
    for (const name of firstZones) await this.#addZone(name);
    await local('POST', '/zones/signed.example/dnssec', { parent_ns_addrs: ['192.0.2.9'] });
    await this.#moveRecords();
    await local('POST', '/secondaries', { name: 'ns2', address: '192.0.2.53' });
    await local('POST', '/secondaries', { name: 'ns3', address: '192.0.2.54' });
    await local('POST', '/dnssec-policies', { name: 'strict' });
    await local('POST', '/roles', { name: 'other', description: 'of nobody' });
    await local('POST', '/webhooks', { name: 'chat', url: 'http://127.0.0.1:9/' });
    await local('POST', '/tsig-keys', { name: 'key.example', role_name: 'other' });
    this.#logTransfers();
    const drafts = [[], ...Array.from({ length: callers - 1 }, () => this.#drawGrants(random))];
    const secrets: string[] = [];
    for (const [index, draft] of drafts.entries()) {
      const grants = draft.map(({ zoneName, actions, pattern, types }) => ({
        actions,
        ...(zoneName === undefined ? {} : { zone_name: zoneName }),
        ...(pattern === '*' ? {} : { record_name_pattern: pattern }),
        ...(types === '*' ? {} : { record_types: types }),
      }));
      secrets.push(await this.service.tokenOf(`caller-${index}`, grants));
    }
    await this.#live();
    const kept = new Set(this.zones.map(({ id }) => id));
    // Grants that name a zone go when it is deleted; its id may come back, they do not.
    kept.delete(this.#firstIds.get('back.example')!);
    for (const [index, draft] of drafts.entries()) {
      const grants = draft
        .map(({ zoneName, ...rest }) => {
          return { zoneId: zoneName === undefined ? null : this.#firstIds.get(zoneName)!, ...rest };
        })
        .filter(({ zoneId }) => zoneId === null || kept.has(zoneId));
      const model = new ModelCaller(grants);
      this.callers.push({ name: `caller-${index}`, secret: secrets[index]!, model, grants });
    }
    await this.service.searchIndex.run();
  }

  async #addZone(name: string): Promise<void> {
    const { id } = await this.service.createZone(name);
    this.#firstIds.set(name, id);
    const records = recordsOfEach.map(([owner, type, value]) => ({
      name: owner,
      type,
      value,
      ttl: type === 'A' ? 60 : 3600,
      ...(type === 'MX' ? { priority: 10 } : {}),
    }));
    const body = { zone_name: name, records };
    await this.service.call('POST', '/records/bulk', body, 201, 'local');
    const path = `/records?zone_name=${name}`;
    const { items } = await this.service.call('GET', path, undefined, 200, 'local');
    for (const record of items) this.#zonesOfRecords.set(record.id, id);
  }

  /** Records that were something else before, and some that are gone. */
  async #moveRecords(): Promise<void> {
    for (const zone_name of firstZones) {
      const make = async (name: string, type: string, value: string) => {
        const body = { zone_name, name, type, value };
        const { record } = await this.service.call('POST', '/records', body, 201, 'local');
        this.#zonesOfRecords.set(record.id, record.zone_id);
        return record.id as number;
      };
      const change = (id: number, body: object) =>
        this.service.call('PUT', `/records/${id}`, body, 200, 'local');
      const moved = await make('www', 'AAAA', '2001:db8::2');
      await change(moved, { name: 'a.sub', type: 'TXT', value: 'between' });
      await change(moved, { name: 'moved', value: 'at rest' });
      const back = await make('moved', 'A', '192.0.2.6');
      await change(back, { name: 'suba' });
      const deleted = await make('www', 'TXT', 'other words');
      await this.service.call('DELETE', `/records/${deleted}`, undefined, 200, 'local');
      const goes = await make('sub', 'TXT', 'goes away');
      await change(goes, { name: 'www' });
      await this.service.call('DELETE', `/records/${goes}`, undefined, 200, 'local');
    }
  }

  /** What happens to zones after the grants were made. */
  async #live(): Promise<void> {
    const local = (method: string, path: string, body?: object) =>
      this.service.call(method, path, body, undefined, 'local');
    await local('POST', '/zones/plain.example/tags', { name: 'first', serial: 2 });
    await local('POST', '/zones/gone.example/tags', { name: 'first', serial: 2 });
    await this.#applyDesired();
    await local('PUT', '/zones/off.example', { enabled: false });
    await local('PUT', '/zones/before.example', { name: 'after.example' });
    await local('DELETE', '/zones/gone.example');
    await local('DELETE', '/zones/back.example');
    await local('POST', '/zones/back.example/restore');
    await local('DELETE', '/zones/twice.example');
    await this.service.createZone('twice.example');
    const zones = await local('GET', '/zones?limit=1000');
    this.zones = zones.items;
    this.deleted = (await local('GET', '/zones?deleted=true')).items;
    const { items } = await local('GET', '/records?limit=1000&sort=created_at');
    for (const { id, zone_id } of items) this.#zonesOfRecords.set(id, zone_id);
    const last = Math.max(...items.map(({ id }: { id: number }) => id));
    this.recordIds = Array.from({ length: last + 2 }, (_, index) => index);
  }

  /** RRsets that a team wants, and that somebody deleted since. */
  async #applyDesired(): Promise<void> {
    const wanted = [
      ['www', 'SSHFP', '1 1 00'.padEnd(44, '0')],
      ['sub', 'HINFO', '"a" "b"'],
      ['a.sub', 'A', '192.0.2.8'],
      ['suba', 'AAAA', '2001:db8::8'],
    ] as const;
    const content = wanted.map(([name, type, value]) => `${name} 60 ${type} ${value}\n`).join('');
    for (const name of ['plain.example', 'signed.example']) {
      const path = `/zones/${name}/desired?owner=shop`;
      await this.service.call('POST', path, { content }, 200, 'local');
      const here = `/records?zone_name=${name}&limit=1000`;
      const { items } = await this.service.call('GET', here, undefined, 200, 'local');
      for (const { id, zone_id } of items) this.#zonesOfRecords.set(id, zone_id);
      const zones = [{ name, delete: wanted.map(([owner, type]) => ({ name: owner, type })) }];
      await this.service.call('POST', '/changes', { zones }, 200, 'local');
    }
  }

  #logTransfers(): void {
    const at = this.service.now();
    for (const zoneName of ['plain.example', 'signed.example', 'catalog.invalid']) {
      const address = '192.0.2.53';
      const how = {
        kind: 'axfr',
        result: 'ok',
        incremental: false,
        serial: 1,
        error: null,
        bytes: 412,
        tookMs: 3,
      } as const;
      this.service.transferLog.record({ zoneName, address, at, ...how });
    }
  }

  /** Few zones for each caller, so that its grants meet. */
  #drawGrants(random: Random) {
    const homes = [random.one(firstZones), random.one(firstZones)];
    return Array.from({ length: 1 + random.below(4) }, () => {
      const isEverywhere = random.next() < 0.3;
      const zoneName = isEverywhere ? undefined : random.one(homes);
      const most = actions.filter(
        (action) => isEverywhere || !/zone:create|secondary:|access:/.test(action),
      );
      const chosen = new Set([
        ...random.some(most, random.one([0.1, 0.3])),
        ...(random.next() < 0.6 ? ['record:read'] : []),
        // What a controller of external DNS needs.
        ...(random.next() < 0.25 ? ['record:read', 'record:create', 'record:delete'] : []),
        ...(random.next() < 0.2 ? readActions.filter((action) => most.includes(action)) : []),
      ]);
      if (chosen.size === 0) chosen.add('record:update');
      const narrows = [...chosen].some((action) => action.startsWith('record:'));
      return {
        zoneName,
        actions: actions.filter((action) => chosen.has(action)) as string[],
        pattern: narrows ? random.one(patterns) : '*',
        types: narrows ? random.one(typeLists) : '*',
      };
    });
  }

  zoneOf(name: string): WorldZone | undefined {
    return this.zones.find((zone) => zone.name === name);
  }

  /** The zone a record was made in, if it is still there. */
  zoneOfRecord(id: number): WorldZone | undefined {
    const zoneId = this.#zonesOfRecords.get(id);
    return this.zones.find((zone) => zone.id === zoneId);
  }

  /** What an administrator is answered; nothing changes while reads are tried, so it is asked once. */
  admin(url: string): Promise<Answered> {
    let answer = this.#cache.get(url);
    if (answer === undefined) {
      answer = this.ask(url, 'local');
      this.#cache.set(url, answer);
    }
    return answer;
  }

  async ask(url: string, as: string): Promise<Answered> {
    return answeredOf(await this.service.fetch('GET', url, undefined, as));
  }
}

export async function answeredOf(response: Response): Promise<Answered> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = isJson && text !== '' ? JSON.parse(text) : text;
  return { status: response.status, body, etag: response.headers.get('etag') };
}
