/** A change goes by what parents say when it is made, who are asked again where it waits, and of the servers of now. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import { InProcessService } from '../support/in-process.ts';
import { ServiceZone } from '../support/service-zone.ts';
import { recordsOf } from '../support/signed-zone.ts';
import { dsRdataOf } from '../support/signing.ts';

const hosts = Array.from({ length: 400 }, (_, at) => `h${at} A 192.0.2.${at % 256}`).join('\n');
let service: InProcessService;
let zone: ServiceZone;
let ds: Buffer[];

beforeEach(async () => {
  service = new InProcessService();
  // Its passes are made aside.
  zone = await ServiceZone.create(service, 'held.test', recordsOf(`@ NS ns.other.test.\n${hosts}`));
  await zone.dnssec('POST', '', { parent_ns_addrs: ['192.0.2.1'] });
  service.pass(86_400_000);
  ds = (await zone.dnssec('GET', '')).ds_records.map(dsRdataOf);
});

afterEach(() => service.close());

const refused = (code: string, says: string) =>
  service.refused('DELETE', '/zones/held.test/dnssec', {}, code, says);

/** The parent has no DS at first and then this one; so many seconds pass after its first answer. */
function publishesLater(seconds: number): void {
  let asked = 0;
  service.parents = (_, addresses) => {
    const served = asked++ === 0 ? [] : ds;
    return addresses.map((address): ParentAnswer => ({ address, ds: served, ttlSeconds: 3600 }));
  };
  const { submit } = service.writer;
  service.writer.submit = async function (command, options) {
    // What was seen has been recorded, and the zone is signed as a whole meanwhile.
    if (command.kind === 'disable-signing' && asked === 1) service.pass(seconds * 1000);
    return submit.call(this, command, options) as never;
  };
}

it('a parent that publishes the DS while all signatures are removed keeps the zone signed', async () => {
  publishesLater(20);
  await refused('DNSSEC_DS_PUBLISHED', 'serves a DS');
  expect((await zone.dnssec('GET', '')).enabled).toBe(true);
});

it('what was said a minute ago is no answer', async () => {
  publishesLater(61);
  await refused('DNSSEC_DS_UNVERIFIED', 'was asked for the DS 61 s ago: try again');
});

it('what former servers of the parent said is no answer', async () => {
  service.parents = (_, addresses) => {
    // Another operator names other servers before the change is decided.
    if (addresses[0] === '192.0.2.1:53') {
      const given = { parent_ns_addrs: ['192.0.2.2'] };
      void service.call('PUT', '/zones/held.test/dnssec', given);
    }
    return addresses.map((address): ParentAnswer => ({ address, ds: [], ttlSeconds: 3600 }));
  };
  await refused('DNSSEC_DS_UNVERIFIED', 'had other servers when it was asked');
  await service.call('DELETE', '/zones/held.test/dnssec', {});
});
