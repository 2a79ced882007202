/**
 * RFC 2136 3.2 and 3.4: every message gets the RCODE that named and knotd give, and makes the same zone. Where these two
 * differ, the RFC decides: what they differ in is listed here, and in spec/tests/conformance.md.
 *
 * A long run has every order of three prerequisites; others a sample of them, by a seed that a failure names.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningPrimary, startPrimary } from '../support/primaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'example.com';
const judge = fileURLToPath(new URL('../support/update_peers.py', import.meta.url));

/** Owner, type, class, TTL and data of a record in a message. */
type Line = [string, string, 'IN' | 'CH' | 'NONE' | 'ANY', number, string | null];
/** Prerequisites and updates. */
type UpdateMessage = [Line[], Line[]];
type Server = 'named' | 'knotd' | 'service';

interface Told {
  readonly rcodes: Record<Server, string[]>;
  /** After each message when they were watched, else one at the end. */
  readonly zones: Record<Server, string[][]>;
}

/** The same on loopback, whatever the machine: a small generator of 32 bits. */
function drawer(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const inZone = (type: string, data: string, owner = 'www'): Line => [owner, type, 'IN', 0, data];

/** Prerequisites of every kind, holding (+) and not (-), and what is no prerequisite. */
const prerequisites: Record<string, Line[]> = {
  'in use +': [['www', 'ANY', 'ANY', 0, null]],
  'in use -': [['gone', 'ANY', 'ANY', 0, null]],
  'empty non-terminal in use -': [['down', 'ANY', 'ANY', 0, null]],
  'not in use +': [['gone', 'ANY', 'NONE', 0, null]],
  'not in use -': [['www', 'ANY', 'NONE', 0, null]],
  'exists +': [['www', 'TXT', 'ANY', 0, null]],
  'exists -': [['www', 'AAAA', 'ANY', 0, null]],
  'absent +': [['www', 'AAAA', 'NONE', 0, null]],
  'absent -': [['www', 'TXT', 'NONE', 0, null]],
  'exactly +': [inZone('A', '192.0.2.2'), inZone('A', '192.0.2.1')],
  'exactly, doubled': [
    inZone('A', '192.0.2.1'),
    inZone('A', '192.0.2.2'),
    inZone('A', '192.0.2.1', 'WWW'),
  ],
  'one of two': [inZone('A', '192.0.2.1')],
  'the other of two': [inZone('A', '192.0.2.2')],
  'not there': [inZone('A', '192.0.2.9')],
  'exactly one +': [inZone('TXT', '"text"')],
  'exactly one, doubled': [inZone('TXT', '"text"'), inZone('TXT', '"text"')],
  'exactly, name -': [inZone('A', '192.0.2.1', 'gone')],
  'with a TTL': [['www', 'ANY', 'ANY', 1, null]],
  'exactly, with a TTL': [['www', 'TXT', 'IN', 1, '"text"']],
  'of another zone': [['www.example.org.', 'ANY', 'ANY', 0, null]],
};

const masterFile = `$TTL 300
@ SOA ns1.example.net. hostmaster.example.net. 1 300 60 3600000 86400
@ NS ns1.example.net.
@ NS ns2.example.net.
www A 192.0.2.1
www A 192.0.2.2
www TXT "text"
deep.down A 192.0.2.3
sub NS ns.sub
sub DS 1 13 2 ${'00'.repeat(32)}
ns.sub A 192.0.2.5
alias CNAME www
`;

function hasDoubles(lines: readonly Line[]): boolean {
  const gathered = lines.filter(([, , recordClass]) => recordClass === 'IN');
  const texts = gathered.map(([owner, ...rest]) => [owner.toLowerCase(), ...rest].join(' '));
  return new Set(texts).size < texts.length;
}

function sendAll(
  ports: Partial<Record<Server, number>>,
  messages: readonly UpdateMessage[],
  watch: boolean,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      peer('dnspython')!,
      [judge],
      { maxBuffer: 1 << 30 },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Told);
        else reject(new Error(stderr));
      },
    );
    child.stdin!.end(JSON.stringify({ zone, ports, messages, watch }));
  });
}

needsPeers(
  'named',
  'knotd',
  'dig',
  'dnspython',
)('beside named and knotd', () => {
  const seed = isLong ? 1 : Math.floor(Math.random() * 2 ** 32);
  let service: RunningService;
  let primaries: RunningPrimary[] = [];
  let ports: Record<Server, number>;

  beforeEach(async () => {
    const kinds = ['named', 'knotd'] as const;
    [service, ...primaries] = await Promise.all([
      // The peers have no guard against what deletes too much of a zone.
      startService({
        ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'false',
        ZONEBOOK_DNS_GUARD_MIN_RECORDS: '1000000000',
      }),
      ...kinds.map((kind) => startPrimary(kind, zone, masterFile, { takesUpdates: true })),
    ]);
    const imported = { content: masterFile, mode: 'replace', create: true };
    await service.must('POST', `/zones/${zone}/import`, imported);
    await service.must('POST', '/secondaries', { name: 'judge', address: '127.0.0.1:9' });
    ports = { named: primaries[0]!.port, knotd: primaries[1]!.port, service: service.dnsPort };
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    for (const one of primaries) await one[Symbol.asyncDispose]();
  });

  /** A failure names the seed and the messages that it is about. */
  const about = (what: unknown) => `seed ${seed}: ${JSON.stringify(what)}`;

  it('case 102: three prerequisites in every order are answered as they answer', async () => {
    const draw = drawer(seed);
    const names = Object.keys(prerequisites);
    const pick = () => names[draw(names.length)]!;
    const triples = isLong
      ? names.flatMap((a) => names.flatMap((b) => names.map((c) => [a, b, c])))
      : Array.from({ length: 300 }, () => [pick(), pick(), pick()]);
    const messages = triples.map((triple, index): UpdateMessage => {
      const marker: Line = [`made-${index}`, 'TXT', 'IN', 60, '"it"'];
      return [triple.flatMap((name) => prerequisites[name]!), [marker]];
    });
    const { rcodes, zones } = await sendAll(ports, messages, false);
    const differing: number[] = [];
    for (const [index, triple] of triples.entries()) {
      expect(rcodes.service[index], about(triple)).toBe(rcodes.knotd[index]);
      if (rcodes.named[index] === rcodes.knotd[index]) continue;
      // named does not hold an RRset for the same one when a record of it is named twice.
      const isDoubled = hasDoubles(messages[index]![0]);
      expect([rcodes.named[index], isDoubled], about(triple)).toEqual(['NXRRSET', true]);
      differing.push(index);
    }
    expect(zones.service[0], about('zone')).toEqual(zones.knotd[0]);
    const markers = differing.map((index) => `made-${index} 60 TXT "it"`);
    const expected = zones.service[0]!.filter((line) => !markers.includes(line));
    expect(zones.named[0], about('zone')).toEqual(expected);
    // The sample had all of the answers.
    const answers = ['NOERROR', 'NXDOMAIN', 'YXDOMAIN', 'NXRRSET', 'YXRRSET', 'FORMERR', 'NOTZONE'];
    expect([...new Set(rcodes.service)].sort(), about('answers')).toEqual(answers.sort());
  });

  it('3.4.1: what is wrong with an update is answered after prerequisites, as knotd does', async () => {
    const faults: Record<string, Line> = {
      FORMERR: ['www', 'A', 'CH', 0, '192.0.2.1'],
      NOTZONE: ['www.example.org.', 'A', 'IN', 60, '192.0.2.1'],
    };
    const cases = Object.keys(prerequisites).flatMap((name) =>
      Object.keys(faults).map((fault) => ({ name, fault })),
    );
    const messages = cases.map(
      ({ name, fault }): UpdateMessage => [prerequisites[name]!, [faults[fault]!]],
    );
    const { rcodes, zones } = await sendAll(ports, messages, false);
    for (const [index, { name, fault }] of cases.entries()) {
      expect(rcodes.service[index], `${name}, ${fault}`).toBe(rcodes.knotd[index]);
      // named looks through the updates first.
      expect(rcodes.named[index], `${name}, ${fault}`).toBe(fault);
    }
    expect(zones.service).toEqual(zones.knotd);
  });

  it('3.4.2, case 103: updates in any order make the zone that named makes', async () => {
    const draw = drawer(seed);
    const oneOf = <Item>(...items: Item[]): Item => items[draw(items.length)]!;
    const data: Record<string, string[]> = {
      NS: ['ns.sub', 'ns9.example.net.'],
      DS: [`1 13 2 ${'00'.repeat(32)}`, `2 13 2 ${'ff'.repeat(32)}`],
      A: ['192.0.2.7', '192.0.2.8'],
      TXT: ['"x"', '"X"'],
      CNAME: ['www', 'a.example.org.'],
      MX: ['10 MX.example.org.', '10 mx.example.org.'],
      WKS: ['192.0.2.1 6 25', '192.0.2.1 6 25 80', '192.0.2.1 17 53', '192.0.2.2 6 25'],
    };
    const step = (): Line => {
      const owner = oneOf('@', 'sub', 'sub', 'other', 'other', 'www', 'alias');
      const type = oneOf('NS', 'NS', 'DS', 'DS', 'A', 'TXT', 'CNAME', 'MX', 'WKS');
      const value = oneOf(...data[type]!);
      return oneOf<Line>(
        [owner, type, 'IN', oneOf(60, 90), value],
        [owner, type, 'IN', oneOf(60, 90), value],
        [owner, type, 'NONE', 0, value],
        [owner, type, 'ANY', 0, null],
        [owner, oneOf(type, 'ANY'), 'ANY', 0, null],
      );
    };
    const messages = Array.from({ length: isLong ? 3000 : 100 }, (): UpdateMessage => {
      const steps = Array.from({ length: 1 + draw(5) }, step);
      // Some come twice in their message.
      return [[], draw(3) === 0 ? [...steps, oneOf(...steps)] : steps];
    });
    // knotd leaves DS where they are when their delegation ends.
    const { named, service: ours } = ports;
    const { rcodes, zones } = await sendAll({ named, service: ours }, messages, true);
    for (const [index, [, steps]] of messages.entries()) {
      const before = index === 0 ? [] : zones.named[index - 1];
      const told = about({ index, before, steps });
      expect(rcodes.service[index], told).toBe(rcodes.named[index]);
      expect(zones.service[index], told).toEqual(zones.named[index]);
    }
  });
});
