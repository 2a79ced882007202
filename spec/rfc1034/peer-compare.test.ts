/**
 * The same questions to this server, named and knotd, all with the same zones: where the two others
 * agree we say what they say, and where they differ we say what one of them says.
 *
 * Compared are RCODE, AA, TC, and answer and authority as sets. Questions are drawn from a seed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnspython } from '../support/dnspython.ts';
import { drawnQuestions } from '../support/drawn-questions.ts';
import { knotPatience, patienceMs } from '../support/patience.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { endProcess } from '../support/processes.ts';
import { type RunningService, startService } from '../support/service.ts';
import { peerZones } from './peer-zones.ts';

const names = Object.keys(peerZones);

/** A record of the HTTP interface from a line of peer-zones.ts. */
function recordOf(line: string): Record<string, unknown> {
  const [name, type, ...words] = line.split(' ');
  const priority = type === 'MX' || type === 'SRV' ? Number(words.shift()) : undefined;
  return { name, type, value: words.join(' '), ...(priority === undefined ? {} : { priority }) };
}

async function fill(service: RunningService): Promise<void> {
  for (const [name, text] of Object.entries(peerZones)) {
    // A server's name below a DNAME is none.
    const mname = name === 'dname.test' ? 'ns1.wild.test' : `ns1.${name}`;
    const zone = { name, mname, rname: `hostmaster@${name}`, minimum_ttl: 600 };
    await service.must('POST', '/zones', zone);
    const lines = text.split('\n').map((line) => line.trim());
    const records = lines.filter((line) => line !== '').map(recordOf);
    await service.must('POST', '/records/bulk', { zone_name: name, records });
  }
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
}

/** Zone files, pulled by AXFR and written by dnspython. */
const pull = `
for name in given['zones']:
    messages = dns.query.xfr('127.0.0.1', name, port=port, relativize=False)
    dns.zone.from_xfr(messages, relativize=False).to_file(given['folder'] + '/' + name, relativize=False)
`;

const ask = `
import random
draw = random.Random(given['seed'])
zones = [dns.zone.from_file(given['folder'] + '/' + z, z, relativize=False) for z in given['zones']]
owners = sorted({name for zone in zones for name in zone.nodes})
types = 'A A A AAAA NS NS SOA MX TXT TXT CNAME CNAME DNAME DS DS SRV ANY TYPE65280 TYPE65281 HTTPS CAA'.split()

${drawnQuestions}

result = []
for _ in range(given['count']):
    how = draw.choice(['udp', 'udp edns', 'udp edns do', 'udp edns small', 'tcp', 'tcp edns do'])
    query = dns.message.make_query(draw_name(), draw.choice(types))
    if 'edns' in how: query.use_edns(0, dns.flags.DO if 'do' in how else 0, payload=512 if 'small' in how else 1232)
    wire = query.to_wire()
    ours, *others = [view(at, wire, how.startswith('tcp'))[0] for at in [port] + given['peers']]
    if ours not in others: result.append({'question': str(query.question[0]), 'how': how, 'ours': ours, 'others': others})
`;

needsPeers(
  'named',
  'knotd',
  'dnspython',
)('answers beside named and knotd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compare-'));
  const peers: ChildProcess[] = [];
  const ports: number[] = [];
  let service: RunningService;

  beforeAll(async () => {
    service = await startService();
    await fill(service);
    await dnspython(service.dnsPort, pull, { folder, zones: names });
    ports.push(await freePort(), await freePort());
    writeFileSync(join(folder, 'named.conf'), namedConfig(folder, ports[0]!));
    writeFileSync(join(folder, 'knot.conf'), knotConfig(folder, ports[1]!));
    for (const command of [
      ['named', '-g', '-n', '1', '-c', 'named.conf'],
      ['knotd', '-c', 'knot.conf'],
    ] as const) {
      const [program, ...args] = command;
      peers.push(spawn(peer(program)!, args, { cwd: folder, stdio: 'ignore' }));
    }
    for (const port of ports) for (const zone of names) await waitForZone(port, zone);
  });
  afterAll(async () => {
    for (const child of peers) {
      await endProcess(child);
    }
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.for([1034, 4592, 6672])('are the same (seed %i)', async (seed) => {
    const given = { folder, zones: names, seed, count: 500, peers: ports };
    expect(await dnspython(service.dnsPort, ask, given)).toEqual([]);
  });
});

/** Waits until a peer has loaded a zone. */
async function waitForZone(port: number, zone: string): Promise<void> {
  const program = `
try:
    answer = dns.query.udp(dns.message.make_query(given, 'SOA'), '127.0.0.1', port=port, timeout=1)
    result = len(answer.answer)
except (OSError, dns.exception.Timeout):
    result = 0
`;
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
    if ((await dnspython<number>(port, program, zone)) === 1) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`port ${port} does not serve ${zone}`);
}

function namedConfig(folder: string, port: number): string {
  const zones = names.map(
    (name) => `zone "${name}" { type primary; file "${name}"; check-integrity no; };`,
  );
  return `options {
      directory "${folder}"; pid-file none; session-keyfile none;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; notify no; dnssec-validation no; check-names primary ignore;
      minimal-responses yes; edns-udp-size 1232; max-udp-size 1232;
    };
    controls { };
    ${zones.join('\n')}`;
}

function knotConfig(folder: string, port: number): string {
  const zones = names.map((name) => `  - domain: ${name}\n    file: ${name}\n`);
  return `server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    ${knotPatience}
    background-workers: 1
    udp-max-payload: 1232
database:
    storage: ${folder}
template:
  - id: default
    storage: ${folder}
    zonefile-sync: -1
zone:
${zones.join('')}`;
}
