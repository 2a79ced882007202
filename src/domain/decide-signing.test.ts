import { beforeEach, expect, it } from 'vitest';
import { fakeKey } from '../../spec/support/fake-dnssec.ts';
import { Law } from '../../spec/support/memory-state.ts';
import { fullRights, Rights } from './access/rights.ts';

const zoneName = 'example.com';
const addresses = ['127.0.0.1:5300', 'ns.parent.example'];
const { id, algorithm, role, dnskey } = fakeKey;
const keys = [{ id, algorithm, role, dnskey, privateKey: Buffer.alloc(0) }];

let law: Law;
beforeEach(() => {
  law = new Law();
  const zone = law.zone(zoneName);
  law.given({ kind: 'ensure-default-policy' });
  const actions = new Set(['dnssec:manage'] as const);
  law.rights = new Rights([{ zoneId: zone.id, actions, names: { kind: 'any' }, types: undefined }]);
});

it('parents that somebody else names again are asked no further than whoever named them first could reach', () => {
  const enable = { kind: 'enable-signing', zoneName, keys, replaces: true } as const;
  const reach = (parentNsAddrs: readonly string[]) =>
    law.given({ ...enable, parentNsAddrs }).signing.parentsReach;
  const configure = { kind: 'configure-signing', zoneName, parentNsAddrs: addresses } as const;
  law.given({ ...configure, keys: [] });
  law.rights = fullRights;
  // Of the unsigned zone, and with other keys in the place of its own.
  expect([reach(addresses), reach(addresses)]).toEqual(['public', 'public']);
  expect(law.given({ ...configure, keys: [] }).signing.parentsReach).toBe('public');
  expect(reach(addresses.slice(1))).toBe('private');
});
