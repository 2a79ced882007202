/**
 * NOTIFY byte by byte (RFC 1996 3, cases 56 and 57): what the running service sends, and what it
 * says to those who take it for a secondary.
 */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { optRecord, readAnswer, requestMessage, wireRecord } from '../support/dns-messages.ts';
import { dnspython } from '../support/dnspython.ts';
import { askByTcp, askByUdp, expectDropped } from '../support/exchanges.ts';
import { answered, NotifiedSecondary } from '../support/notified.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

const notify = 4 << 11;
const zone = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

let service: RunningService;
let secondary: NotifiedSecondary;

/** Times that a message is sent again. */
const retries = 2;
/** Seconds until it is: no answer takes so long, unless it is to be missing. */
const longPatience = 60;
const shortPatience = 2;

const startWith = (patience: number) =>
  startService({
    ZONEBOOK_DNS_NOTIFY_RETRIES: String(retries),
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: String(patience),
  });

beforeAll(async () => {
  secondary = await NotifiedSecondary.listen();
  service = await startWith(longPatience);
  await service.must('POST', '/secondaries', { name: 'ns2', address: secondary.address });
  await service.must('POST', '/zones', { ...zone, name: 'example.com' });
  // The new zone and the catalog are told of by themselves; what comes from here on was asked for.
  await vi.waitUntil(
    () => acknowledged('example.com') && acknowledged('catalog.invalid'),
    patienceMs,
  );
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await secondary[Symbol.asyncDispose]();
});
beforeEach(() => {
  secondary.received.length = 0;
  secondary.answer = (request) => answered(request, 0);
});

/** True when the service has seen an answer of the secondary about a zone. */
function acknowledged(name: string): boolean {
  return new RegExp(`notify\\.acknowledged zone=${name} `).test(service.output);
}

const tell = (by = service) => by.call('POST', '/zones/example.com/notify');

it('is a question for the SOA with the SOA as answer, every other field zero (3.2, 3.7)', async () => {
  expect((await tell()).status).toBe(200);
  const { bytes } = secondary.notifies[0]!;
  // QR 0, opcode 4, AA, nothing else; one question, one answer, no further record.
  expect(bytes.readUInt16BE(2)).toBe(notify | 0x0400);
  expect([4, 6, 8, 10].map((at) => bytes.readUInt16BE(at))).toEqual([1, 1, 0, 0]);
  const question = requestMessage({ name: 'example.com', type: 'SOA' }).subarray(12);
  expect(bytes.subarray(12, 12 + question.length)).toEqual(question);
  const { answers } = readAnswer(bytes);
  expect(answers).toHaveLength(1);
  expect(answers[0]).toContain('"mname":"ns1.example.com"');
});

it('has an id of its own each time, and ends with the first answer (3.3, 3.6)', async () => {
  for (let round = 0; round < 5; round++) expect((await tell()).status).toBe(200);
  expect(secondary.notifies).toHaveLength(5);
  expect(
    new Set(secondary.notifies.map(({ bytes }) => bytes.readUInt16BE(0))).size,
  ).toBeGreaterThan(3);
});

it('is sent again after the timeout, byte by byte the same, then given up (3.6)', async () => {
  await using silent = await NotifiedSecondary.listen();
  silent.answer = () => undefined;
  await using witness = await NotifiedSecondary.listen();
  await using impatient = await startWith(shortPatience);
  // The new zone is told of by itself, in one turn, before there is one that is silent.
  await impatient.must('POST', '/secondaries', { name: 'ns3', address: witness.address });
  await impatient.must('POST', '/zones', { ...zone, name: 'example.com' });
  await witness.until('example.com', 1);
  await impatient.must('POST', '/secondaries', { name: 'ns2', address: silent.address });
  await impatient.must('DELETE', '/secondaries/ns3');
  const started = performance.now();
  expect((await tell(impatient)).status).toBe(502);
  expect(silent.notifies).toHaveLength(1 + retries);
  const [first, ...again] = silent.notifies.map(({ bytes }) => bytes);
  for (const bytes of again) expect(bytes).toEqual(first);
  // A timer may be some milliseconds early.
  const leastMs = (1 + retries) * (shortPatience * 1000 - 10);
  expect(performance.now() - started).toBeGreaterThan(leastMs);
});

it('ends with NOTIMP too, from one who does not know it (3.12)', async () => {
  secondary.answer = (request) => answered(request, 4);
  const { status, body } = await tell();
  expect([status, secondary.notifies.length]).toEqual([502, 1]);
  expect(body.error).toContain('NOTIMP');
});

it('is not sent to a server that is a secondary no more', async () => {
  // Whoever is told of a change is told in one turn, so what this one has heard has been sent to all.
  await using witness = await NotifiedSecondary.listen();
  await service.must('POST', '/secondaries', { name: 'ns3', address: witness.address });
  await service.must('PUT', '/secondaries/ns2', { enabled: false });
  const { zone: changed } = await service.must('PUT', '/zones/example.com', { refresh: 321 });
  await witness.until('example.com', changed.serial);
  expect((await tell()).status).toBe(200);
  await service.must('DELETE', '/secondaries/ns3');
  await service.must('PUT', '/secondaries/ns2', { enabled: true });
  await expectNothingBefore();
});

/** That the secondary was told nothing, up to something that it is told now. */
async function expectNothingBefore(): Promise<void> {
  expect((await tell()).status).toBe(200);
  expect(secondary.notifies).toHaveLength(1);
}

it('that comes in is NOTIMP, with its question, and starts nothing (case 57)', async () => {
  const { zone: before } = await service.must('GET', '/zones/example.com');
  const soa = wireRecord('example.com', 'SOA', Buffer.alloc(22, 0));
  for (const name of ['example.com', 'www.example.com', 'example.net', 'catalog.invalid']) {
    for (const fields of [{}, { additional: [optRecord()] }, { authority: [soa] }]) {
      const request = requestMessage({ name, type: 'SOA', flags: notify | 0x0400, ...fields });
      for (const answer of [
        await askByUdp(service.dnsPort, request),
        await askByTcp(service.dnsPort, request),
      ]) {
        const { rcode, opcode, questions, answers, aa } = readAnswer(answer);
        expect({ rcode, opcode, questions, answers, aa }).toEqual({
          rcode: 'NOTIMP',
          opcode: 'NOTIFY',
          questions: 1,
          answers: [],
          aa: false,
        });
      }
    }
  }
  expect((await service.must('GET', '/zones/example.com')).zone).toEqual(before);
  await expectNothingBefore();
});

it('that comes as an answer is dropped, whoever sends it (case 57)', async () => {
  const answer = requestMessage({ name: 'example.com', type: 'SOA', flags: notify | 0x8400 });
  await expectDropped(service.dnsPort, answer);
});

needsPeers('dnspython')('dnspython', () => {
  it('gets NOTIMP when it notifies (case 57)', async () => {
    const outcome = await dnspython<unknown>(
      service.dnsPort,
      `
query = dns.message.make_query('example.com', 'SOA')
query.set_opcode(dns.opcode.NOTIFY)
query.flags |= dns.flags.AA
answer = dns.query.udp(query, '127.0.0.1', port=port, timeout=60)
result = [dns.rcode.to_text(answer.rcode()), dns.opcode.to_text(answer.opcode())]
`,
    );
    expect(outcome).toEqual(['NOTIMP', 'NOTIFY']);
  });
});
