/** Examples printed in the RFCs: keys, DS, signatures, hashes. */
import { describe, expect, it } from 'vitest';
import { opensslOpinion } from '../../spec/support/openssl-opinion.ts';
import { labelsToWire, nameToWire, parseAbsoluteName } from '../dns/name.ts';
import { base32HexText } from '../dns/rdata/fields/binary.ts';
import { parseRdataText, printRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { importBindKey } from './bind-key.ts';
import { denialOf, nsec3Hash } from './denial.ts';
import { dsRdata, keyTagOf, matchDs, publicKeyOfDnskey } from './dnskey.ts';
import { readSignature, signRrset, validityOf } from './rrsig.ts';
import { signerOf } from './key-pair.ts';

interface Example {
  readonly from: string;
  readonly apex: string;
  readonly privateKey: string;
  readonly dnskey: string;
  readonly ds: string;
  readonly owner: string;
  readonly type: number;
  readonly value: string;
  readonly rrsig: string;
}

const net = { apex: 'example.net', owner: 'www.example.net', type: rrtype.A, value: '192.0.2.1' };
const com = {
  apex: 'example.com',
  owner: 'example.com',
  type: rrtype.MX,
  value: '10 mail.example.com.',
};

const examples: readonly Example[] = [
  {
    from: 'RFC 6605 6.1',
    ...net,
    privateKey: 'GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=',
    dnskey:
      '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
    ds: '55648 13 2 b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17',
    rrsig:
      'A 13 3 3600 20100909100439 20100812100439 55648 example.net. qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw==',
  },
  {
    from: 'RFC 6605 6.2',
    ...net,
    privateKey: 'WURgWHCcYIYUPWgeLmiPY2DJJk02vgrmTfitxgqcL4vwW7BOrbawVmVe0d9V94SR',
    dnskey:
      '257 3 14 xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40',
    ds: '10771 14 4 72d7b62976ce06438e9c0bf319013cf801f09ecc84b8d7e9495f27e305c6a9b0563a9b5f4d288405c3008a946df983d6',
    rrsig:
      'A 14 3 3600 20100909102025 20100812102025 10771 example.net. /L5hDKIvGDyI1fcARX3z65qrmPsVz73QD1Mr5CEqOiLP95hxQouuroGCeZOvzFaxsT8Glr74hbavRKayJNuydCuzWTSSPdz7wnqXL5bdcJzusdnI0RSMROxxwGipWcJm',
  },
  {
    from: 'RFC 8080 6.1, first',
    ...com,
    privateKey: 'ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI=',
    dnskey: '257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
    ds: '3613 15 2 3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b',
    rrsig:
      'MX 15 2 3600 1440021600 1438207200 3613 example.com. oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==',
  },
  {
    from: 'RFC 8080 6.1, second',
    ...com,
    privateKey: 'DSSF3o0s0f+ElWzj9E/Osxw8hLpk55chkmx0LYN5WiY=',
    dnskey: '257 3 15 zPnZ/QwEe7S8C5SPz2OfS5RR40ATk2/rYnE9xHIEijs=',
    ds: '35217 15 2 401781b934e392de492ec77ae2e15d70f6575a1c0bc59c5275c04ebe80c6614c',
    rrsig:
      'MX 15 2 3600 1440021600 1438207200 35217 example.com. zXQ0bkYgQTEFyfLyi9QoiY6D8ZdYo4wyUhVioYZXFdT410QPRITQSqJSnzQoSm5poJ7gD7AQR0O7KuI5k2pcBg==',
  },
  {
    from: 'RFC 8080 6.2',
    ...com,
    privateKey: 'xZ+5Cgm463xugtkY5B0Jx6erFTXp13rYegst0qRtNsOYnaVpMx0Z/c5EiA9x8wWbDDct/U3FhYWA',
    dnskey: '257 3 16 3kgROaDjrh0H2iuixWBrc8g2EpBBLCdGzHmn+G2MpTPhpj/OiBVHHSfPodx1FYYUcJKm1MDpJtIA',
    ds: '9713 16 2 6ccf18d5bc5d7fc2fceb1d59d17321402f2aa8d368048db93dd811f5cb2b19c7',
    rrsig:
      'MX 16 2 3600 1440021600 1438207200 9713 example.com. 3cPAHkmlnxcDHMyg7vFC34l0blBhuG1qpwLmjInI8w1CMB29FkEAIJUA0amxWndkmnBZ6SKiwZSAxGILn/NBtOXft0+Gj7FSvOKxE/07+4RQvE581N3Aj/JtIyaiYVdnYtyMWbSNyGEY2213WKsJlwEA',
  },
];

describe.each(examples)('$from', (example) => {
  const apex = parseAbsoluteName(example.apex);
  const dnskey = parseRdataText(rrtype.DNSKEY, example.dnskey);
  const stored = parseRdataText(rrtype.RRSIG, example.rrsig);
  const algorithm = dnskey[3]!;
  const pair = importBindKey(apex, {
    key: `${example.apex}. 3600 IN DNSKEY ${example.dnskey}`,
    private: `Private-key-format: v1.2\nAlgorithm: ${algorithm} (X)\nPrivateKey: ${example.privateKey}\n`,
  });

  it('has the key tag and the DS', () => {
    expect(keyTagOf(dnskey)).toBe(Number(example.ds.split(' ')[0]));
    expect(printRdata(rrtype.DS, dsRdata(apex, dnskey)).toLowerCase()).toBe(example.ds);
    expect(matchDs(apex, dnskey, parseRdataText(rrtype.DS, example.ds))).toBe(true);
  });

  it('is signed over the same bytes', () => {
    const facts = readSignature(stored);
    const rdata = parseRdataText(example.type, example.value);
    const rrset = { type: example.type, ttl: facts.originalTtl, rdatas: [rdata] };
    const window = validityOf(facts, facts.inceptionBits);
    const owner = parseAbsoluteName(example.owner);
    const made = signRrset(owner, nameToWire(apex), rrset, signerOf(pair), window);
    const head = stored.length - made.signature.length;
    expect(made.rdata.subarray(0, head)).toEqual(stored.subarray(0, head));
    const publicKey = publicKeyOfDnskey(dnskey);
    const printed = stored.subarray(head);
    expect(opensslOpinion.verify(algorithm, publicKey, made.data, printed)).toBe(true);
    expect(opensslOpinion.verify(algorithm, publicKey, made.data, made.signature)).toBe(true);
    // Edwards curves give one signature for one message.
    if (algorithm >= 15) expect(made.signature).toEqual(printed);
  });
});

it('RFC 4034 5.4 and RFC 4509 2.3: tag and digests of dskey.example.com', () => {
  const apex = parseAbsoluteName('dskey.example.com');
  const dnskey = parseRdataText(
    rrtype.DNSKEY,
    '256 3 5 AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==',
  );
  expect(keyTagOf(dnskey)).toBe(60_485);
  const ds = (text: string) => matchDs(apex, dnskey, parseRdataText(rrtype.DS, text));
  expect(ds('60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118')).toBe(true);
  const digest = 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A';
  expect(ds(`60485 5 2 ${digest}`)).toBe(true);
  expect(ds(`60485 5 3 ${digest}`)).toBe('uncomputable');
  expect(ds(`60486 5 2 ${digest}`)).toBe(false);
  expect(ds(`60485 5 2 ${digest.replace('D', 'E')}`)).toBe(false);
});

/** The appendix has 12 iterations and a salt, our zones none: the one step repeated must give it. */
it.each([
  ['example', '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom'],
  ['a.example', '35mthgpgcu1qg68fab165klnsnk3dpvl'],
  ['ai.example', 'gjeqe526plbf1g8mklp59enfd789njgi'],
  ['ns1.example', '2t7b4g4vsa5smi47k61mv5bv1a22bojr'],
  ['*.w.example', 'r53bq7cc2uvmubfu5ocmm6pers9tk9en'],
  ['xx.example', 't644ebqk9bibcna874givr6joj62mlhv'],
])('RFC 5155 A: the hash of %s', (name, hash) => {
  const salt = Buffer.from('aabbccdd', 'hex');
  let bytes = nameToWire(parseAbsoluteName(name));
  for (let round = 0; round <= 12; round++) bytes = nsec3Hash(Buffer.concat([bytes, salt]));
  expect(base32HexText(bytes)).toBe(hash);
});

it('RFC 9276 3.1: owners are hashes without salt and iterations', () => {
  const apex = parseAbsoluteName('example');
  const denial = denialOf('nsec3', apex);
  const wire = Buffer.concat([labelsToWire(parseAbsoluteName('a')), nameToWire(apex)]);
  const owner = denial.ownerFor(parseAbsoluteName('a'));
  expect(owner).toBe(`${base32HexText(nsec3Hash(wire))}\0`);
  const rdata = denial.rdata(owner, Buffer.of(0, 1, 0x40));
  expect(printRdata(rrtype.NSEC3, rdata)).toBe(`1 0 0 - ${owner.slice(0, -1)} A`);
  expect(denial.nextOf(rdata)).toBe(owner);
  expect(denial.bitmapOf(rdata)).toEqual(Buffer.of(0, 1, 0x40));
});
