/** Steps of signed zones that share a commit: their signatures are made by another thread meanwhile. */
import { createPublicKey, verify } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { apiOptions, openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { Problem } from '../base/problem.ts';
import { joinNames, type NameKey, nameToWire, parseAbsoluteName } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { generateKey, type KeyPair, serializePrivateKey } from '../dnssec/key-pair.ts';
import { nobleVerifier } from '../dnssec/noble.ts';
import { readSignature, signRrset, validityOf } from '../dnssec/rrsig.ts';
import type { UpdateOperation } from '../domain/dynamic-update.ts';
import { apexOf, soaRdata } from '../domain/zone.ts';
import { decodeEvent } from '../journal/event-row.ts';
import { verifyChain } from '../journal/verify.ts';
import { Pending } from '../projection/pending.ts';
import { verifyProjections } from '../projection/rebuild.ts';
import { SignedView } from '../projection/signed-view.ts';

const zoneName = 'late.example';
const apex = parseAbsoluteName(zoneName);
const opened: StoredZones[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const stored of opened.splice(0)) await stored.close();
});

async function openSigned(): Promise<{ stored: StoredZones; pair: KeyPair }> {
  const stored = openStoredZones({ durable: false });
  opened.push(stored);
  await stored.run({ kind: 'ensure-default-policy' });
  await stored.zone(zoneName, { apexNs: true });
  const pair = await generateKey(13, true, [], nobleVerifier);
  const privateKey = serializePrivateKey(pair.privateKey);
  const key = { id: 1, algorithm: 13, role: 'csk', dnskey: pair.dnskey, privateKey } as const;
  await stored.run({
    kind: 'enable-signing',
    zoneName,
    parentNsAddrs: ['127.0.0.1:9'],
    keys: [key],
  });
  return { stored, pair };
}

function update(stored: StoredZones, ...operations: UpdateOperation[]) {
  const command = { kind: 'dynamic-update', zoneName, prerequisites: [], operations } as const;
  return stored.writer.submit(command, apiOptions);
}

function add(name: string, number: number): UpdateOperation {
  const owner = `${name}\0` as NameKey;
  const rdata = Buffer.of(192, 0, 2, number & 255);
  return { kind: 'add', record: { owner, type: rrtype.A, ttl: 300, rdata } };
}

/** The bytes that a signature was made over, by what it says of itself. */
function signedBytes(rrset: readonly ResourceRecord[], signature: ResourceRecord): Buffer {
  const [{ type, ttl, owner }] = rrset as [ResourceRecord];
  const facts = readSignature(signature.rdata);
  let bytes = Buffer.alloc(0);
  const sign = (data: Buffer) => {
    bytes = Buffer.from(data);
    return Buffer.alloc(64);
  };
  const { algorithm, keyTag } = facts;
  const signer = { algorithm, keyTag, dnskey: Buffer.alloc(0), sign };
  const rdatas = rrset.map(({ rdata }) => rdata);
  const validity = validityOf(facts, Math.floor(Date.now() / 1000));
  signRrset(joinNames(owner, apex), nameToWire(apex), { type, ttl, rdatas }, signer, validity);
  return bytes;
}

/** Checks each signature of some records; returns how many there were. */
function checkSignatures(records: readonly ResourceRecord[], { privateKey }: KeyPair): number {
  const key = { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' } as const;
  let count = 0;
  for (const signature of records) {
    if (signature.type !== rrtype.RRSIG) continue;
    const type = signature.rdata.readUInt16BE(0);
    const rrset = records.filter((each) => each.type === type && each.owner === signature.owner);
    const bytes = signedBytes(rrset, signature);
    expect(verify('sha256', bytes, key, signature.rdata.subarray(-64))).toBe(true);
    count++;
  }
  return count;
}

function checkZone({ connection, zones, journal }: StoredZones, pair: KeyPair): void {
  const zone = zones.byName(zoneName)!;
  const soa = { owner: '' as NameKey, type: rrtype.SOA, ttl: zone.defaultTtl };
  const stored = new SignedView(new Pending(connection), zone.id).records();
  const records = [...stored, { ...soa, rdata: soaRdata(zone) }];
  expect(apexOf(zone)).toBe(apex);
  expect(checkSignatures(records, pair)).toBeGreaterThan(10);
  expect(verifyChain(journal).findings).toEqual([]);
  expect(verifyProjections(connection, journal)).toEqual([]);
}

describe('steps of a signed zone that share a commit', () => {
  it('are signed as they would be one by one, whatever they take and give', async () => {
    const { stored, pair } = await openSigned();
    for (let round = 0; round < 6; round++) {
      const outcomes = [];
      for (let number = 0; number < 40; number++) {
        const name = `host-${(round * 13 + number * 7) % 90}`;
        outcomes.push(
          number % 5 === 4
            ? update(stored, { kind: 'delete-name', owner: `${name}\0` as NameKey })
            : update(stored, add(name, number + round)),
        );
        // A name that comes and goes within the commit, and one with empty names above it.
        if (number === 11) outcomes.push(update(stored, add('brief', 1)));
        if (number === 21)
          outcomes.push(update(stored, { kind: 'delete-name', owner: 'brief\0' as NameKey }));
        if (number === 31) outcomes.push(update(stored, add(`deep\0er\0leaf-${round}`, 1)));
      }
      await Promise.all(outcomes);
    }
    checkZone(stored, pair);
  });

  it('carry their own signature of their own SOA in the journal', async () => {
    const { stored, pair } = await openSigned();
    await Promise.all(Array.from({ length: 30 }, (_, n) => update(stored, add(`a-${n}`, n))));
    await Promise.all(Array.from({ length: 30 }, (_, n) => update(stored, add(`b-${n}`, n))));
    let steps = 0;
    for (const row of stored.journal.events()) {
      const event = decodeEvent(row, stored.journal.parts(row));
      if (event.kind !== 'records.changed') continue;
      const { added, dnssecAdded } = event.delta;
      const ttl = event.after!.defaultTtl;
      const rdata = soaRdata(event.after!);
      const soa = { owner: '' as NameKey, type: rrtype.SOA, ttl, rdata };
      expect(checkSignatures([soa, ...added, ...dnssecAdded], pair)).toBe(4);
      steps++;
    }
    expect(steps).toBe(60);
  });

  it('leave nothing behind when they are refused amid others', async () => {
    const { stored, pair } = await openSigned();
    const outcomes = Array.from({ length: 60 }, (_, number) =>
      number % 6 === 5
        ? stored.run({
            kind: 'create-records',
            zoneName,
            records: [{ name: `n-${number - 1}`, type: 'A', value: '192.0.2.1' }],
          })
        : update(stored, add(`n-${number}`, number === 4 ? 1 : number)),
    );
    const settled = await Promise.allSettled(outcomes);
    expect(settled[5]!.status).toBe('rejected');
    checkZone(stored, pair);
  });

  it('are refused where a signature does not verify, each of them, and nothing stays', async () => {
    const { stored, pair } = await openSigned();
    await Promise.all(Array.from({ length: 30 }, (_, n) => update(stored, add(`good-${n}`, n))));
    const spy = vi.spyOn(nobleVerifier, 'verify').mockReturnValue(false);
    // Steps that come fast are checked by turns: from the first that is found wrong on, all are.
    for (let n = 0; ; n++) {
      const outcome = await update(stored, add(`unchecked-${n}`, n)).catch((error) => error);
      if (outcome instanceof Problem) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { serial } = stored.zones.byName(zoneName)!;
    const settled = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => update(stored, add(`bad-${n}`, n))),
    );
    for (const { status, reason } of settled as PromiseRejectedResult[]) {
      expect([status, reason?.code]).toEqual(['rejected', 'DNSSEC_SIGNING_FAILED']);
    }
    expect(stored.zones.byName(zoneName)!.serial).toBe(serial);
    spy.mockRestore();
    await Promise.all(Array.from({ length: 30 }, (_, n) => update(stored, add(`bad-${n}`, n))));
    expect(stored.zones.byName(zoneName)!.serial).toBe(serial + 30);
    checkZone(stored, pair);
  });
});
