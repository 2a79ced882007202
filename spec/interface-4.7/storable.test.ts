/** What a signed zone may be: at the end of its serials, and with a DNAME at its apex. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { InProcessService } from '../support/in-process.ts';
import { SignedZoneDesk } from '../support/signing.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

const signed = (name: string) => SignedZoneDesk.signed(service, name);

describe('case 100: a zone at the last serial of ordinary changes', () => {
  it('is re-signed, withdrawn, unsigned and disabled, and takes no change', async () => {
    const desk = await signed('last.example');
    service.forceSerial('last.example', limits.maxSerial);
    const record = { zone_name: 'last.example', name: 'www', type: 'A', value: '192.0.2.1' };
    await service.refused('POST', '/records', record, 'ZONE_CONFLICT', '2146483647');
    await desk.post('/sign');
    await desk.post('/withdraw');
    expect(await service.serialOf('last.example')).toBe(limits.maxSerial + 2);
    await service.call('DELETE', '/zones/last.example/dnssec?skip_ds_check=true', undefined, 200);
    await service.call('PUT', '/zones/last.example', { enabled: false }, 200);
    await service.call('DELETE', '/zones/last.example', undefined, 200);
  });
});

describe('case 101: a DNAME at the apex and NSEC3', () => {
  const apexDname = (zone: string) => {
    return { zone_name: zone, name: '@', type: 'DNAME', value: 'elsewhere.example.' };
  };

  it('exclude each other, whichever comes second', async () => {
    await signed('hashed.example');
    const refusal = [
      'RECORD_CONFLICT',
      'a DNAME at the apex and NSEC3 exclude each other',
    ] as const;
    for (const dry_run of [true, false]) {
      const body = { ...apexDname('hashed.example'), dry_run };
      await service.refused('POST', '/records', body, ...refusal);
      const content = '@ 60 IN NS ns.example.\n@ 60 IN DNAME elsewhere.example.';
      const file = { content, mode: 'replace', dry_run };
      await service.refused('POST', '/zones/hashed.example/import', file, ...refusal);
    }
    await service.createZone('moved.example');
    await service.call('POST', '/records', apexDname('moved.example'), 201);
    const enabling = { parent_ns_addrs: ['192.0.2.1'] };
    await service.refused('POST', '/zones/moved.example/dnssec', enabling, ...refusal);
    await service.call('POST', '/dnssec-policies', { name: 'plain', denial: 'nsec' }, 201);
    const plain = { ...enabling, policy_name: 'plain' };
    await service.call('POST', '/zones/moved.example/dnssec', plain, 201);
    const hashed = { policy_name: 'default' };
    await service.refused('PUT', '/zones/moved.example/dnssec', hashed, ...refusal);
  });
});
