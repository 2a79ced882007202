/**
 * What an AXFR holds and how its messages are made (RFC 5936 2.2, 3; cases 35, 36, 38, 39, 42 and
 * 43), byte by byte.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { printAbsoluteName } from '../../src/dns/name.ts';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import { printType, rrtype } from '../../src/dns/rrtype.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { readAnswer, requestMessage } from '../support/dns-messages.ts';
import { askByTcp } from '../support/exchanges.ts';
import { TcpClient } from '../support/memory-server.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

const parent = [
  ['WWW', 'A', '192.0.2.1'],
  ['Alias', 'CNAME', 'TARGET.Example.COM.'],
  ['mail', 'MX', 'MX.Example.NET.'],
  ['text', 'TXT', 'Keeps CAPITALS and \u00e9'],
  ['svc', 'SVCB', '1 Target.EXAMPLE.net. alpn=h2'],
  // A delegation with glue, data below it, and a child zone that is stored here too.
  ['sub', 'NS', 'ns.sub.example.com.'],
  ['ns.sub', 'A', '192.0.2.53'],
  ['hidden.sub', 'TXT', 'occluded'],
  ['away', 'DNAME', 'example.net.'],
] as const;

beforeAll(async () => {
  service = await startService();
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  const zone = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
  for (const name of ['example.com', 'sub.example.com', 'large.test']) {
    await service.must('POST', '/zones', { ...zone, name });
  }
  for (const [name, type, value] of parent) {
    await service.must('POST', '/records', { zone_name: 'example.com', name, type, value });
  }
  const child = { zone_name: 'sub.example.com', name: 'child', type: 'TXT', value: 'of the child' };
  await service.must('POST', '/records', child);
  const records = Array.from({ length: 5000 }, (_, at) => ({
    name: `host-${at}`,
    type: 'TXT',
    value: 'x'.repeat(at % 200),
  }));
  await service.must('POST', '/records/bulk', { zone_name: 'large.test', records });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const soaCount = (messages: readonly Buffer[]) =>
  messages.flatMap((one) => decodeMessage(one).answers).filter(({ type }) => type === rrtype.SOA)
    .length;

/** The messages of the answers to a request, until `count` SOAs came. */
async function axfr(names: readonly string[], count = 2): Promise<Buffer[]> {
  const client = await TcpClient.open(service.dnsPort);
  try {
    client.send(...names.map((name, id) => requestMessage({ id, name, type: 'AXFR', flags: 0 })));
    await client.until((messages) => soaCount(messages) === count);
    return client.messages;
  } finally {
    client.end();
  }
}

function lines(messages: readonly Buffer[]): string[] {
  return messages
    .flatMap((message) => decodeMessage(message).answers)
    .map(
      ({ name, type, rdata }) =>
        `${printAbsoluteName(name)} ${printType(type)} ${printRdata(type, rdata)}`,
    );
}

it('headers: one id, AA, RD as asked, no TC, nothing but answers (2.2.1, case 35)', async () => {
  for (const [flags, expected] of [
    [0, 0x8400],
    [0x0100, 0x8500],
    // TC, RA, Z, AD and CD of the request are not copied.
    [0x02f0, 0x8400],
  ] as const) {
    const client = await TcpClient.open(service.dnsPort);
    client.send(requestMessage({ id: 0xbeef, name: 'large.test', type: 'AXFR', flags }));
    await client.until((messages) => soaCount(messages) === 2);
    expect(client.messages.length).toBeGreaterThan(5);
    for (const message of client.messages) {
      expect(message.readUInt16BE(0)).toBe(0xbeef);
      expect(message.readUInt16BE(2)).toBe(expected);
      expect([4, 8, 10].map((at) => message.readUInt16BE(at))).toEqual([1, 0, 0]);
    }
    client.end();
  }
});

it('the SOA is first and last and nowhere else (2.2, case 35)', async () => {
  const all = lines(await axfr(['large.test']));
  expect(all).toHaveLength(5000 + 1 + 2);
  expect(all.at(-1)).toBe(all[0]);
  expect(all.filter((line) => line.includes(' SOA '))).toEqual([all[0], all[0]]);
  expect(new Set(all).size).toBe(5002);
});

it('messages are filled, and no larger than TCP takes (2.2, 3.4, case 36)', async () => {
  const messages = await axfr(['large.test']);
  for (const message of messages.slice(0, -1)) {
    expect(message.length).toBeLessThanOrEqual(65_535);
    expect(message.length).toBeGreaterThan(65_535 - 300);
  }
  // Owners end in a pointer to the question, whose name is the apex.
  const apex = Buffer.from('056c617267650474657374'.concat('00'), 'hex');
  for (const message of messages) {
    expect(message.indexOf(apex)).toBe(12);
    expect(message.indexOf(apex, 13)).toBe(-1);
  }
});

it('names are lower-case, text is as it came in (case 38)', async () => {
  const bytes = Buffer.concat(await axfr(['example.com'])).toString('latin1');
  expect(bytes).not.toMatch(/WWW|Alias|TARGET|Target|Example|EXAMPLE/);
  for (const label of ['www', 'alias', 'target', 'example']) {
    expect(bytes).toContain(String.fromCharCode(label.length) + label);
  }
  expect(bytes).toContain('Keeps CAPITALS and \xc3\xa9');
  const all = lines(await axfr(['example.com']));
  expect(all).toContain('mail.example.com. MX 10 mx.example.net.');
  expect(all).toContain('svc.example.com. SVCB 1 target.example.net. alpn="h2"');
  expect(all).toContain('text.example.com. TXT "Keeps CAPITALS and \\195\\169"');
});

it('glue and hidden data go along, nothing of the child zone does (3.2 to 3.5, case 39)', async () => {
  const all = lines(await axfr(['example.com']));
  expect(all).toContain('sub.example.com. NS ns.sub.example.com.');
  expect(all).toContain('ns.sub.example.com. A 192.0.2.53');
  expect(all).toContain('hidden.sub.example.com. TXT "occluded"');
  expect(all.filter((line) => line.includes('child'))).toEqual([]);
  expect(all).toHaveLength(parent.length + 1 + 2);
  const child = lines(await axfr(['sub.example.com']));
  expect(child).toContain('child.sub.example.com. TXT "of the child"');
  expect(child).toHaveLength(4);
});

it('several go over one connection, distinguished by their ids (4.1, case 42)', async () => {
  const names = ['large.test', 'example.com', 'large.test', 'sub.example.com', 'example.com'];
  const messages = await axfr(names, 10);
  for (const [id, name] of names.entries()) {
    const own = messages.filter((message) => message.readUInt16BE(0) === id);
    const all = lines(own);
    expect(all[0]).toMatch(new RegExp(`^${name}\\. SOA `));
    expect(all.at(-1)).toBe(all[0]);
    expect(all).toHaveLength(
      { 'large.test': 5003, 'example.com': 12, 'sub.example.com': 4 }[name]!,
    );
  }
});

it('questions of other classes, or with more in them, get no zone (2.1.2 to 2.1.4)', async () => {
  const chaos = requestMessage({ name: 'example.com', type: 'AXFR', class: 3 });
  expect(readAnswer(await askByTcp(service.dnsPort, chaos)).rcode).toBe('REFUSED');
  const any = requestMessage({ name: 'example.com', type: 'AXFR', class: 255 });
  expect(readAnswer(await askByTcp(service.dnsPort, any)).rcode).toBe('REFUSED');
  const one = requestMessage({ name: 'example.com', type: 'AXFR', counts: [2, 0, 0, 0] });
  const two = Buffer.concat([one, one.subarray(12)]);
  expect(readAnswer(await askByTcp(service.dnsPort, two)).rcode).toBe('FORMERR');
});

it('there is no root to transfer (case 43)', async () => {
  const root = { name: '.', mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
  expect((await service.call('POST', '/zones', root)).status).toBe(400);
  const asked = requestMessage({ name: '.', type: 'AXFR' });
  expect(readAnswer(await askByTcp(service.dnsPort, asked)).rcode).toBe('NOTAUTH');
});
