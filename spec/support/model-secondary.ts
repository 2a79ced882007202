/**
 * A secondary that never forgets, played by dnspython: it keeps every version of every zone that it ever
 * saw, by its serial. Whatever it holds, it must never see that serial with other records, and an IXFR
 * from there must lead to what an AXFR gives.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { peer } from './peers.ts';

const program = `
import json, sys
import dns.exception, dns.message, dns.name, dns.query, dns.rcode, dns.rdatatype, dns.xfr, dns.zone

held = {}

def lines_of(zone):
    return sorted(f'{name} {rdataset.ttl} IN {dns.rdatatype.to_text(rdata.rdtype)} {rdata}'
                  for name, node in zone.nodes.items() for rdataset in node for rdata in rdataset)

def serial_of(zone, origin):
    return zone.get_rdataset(origin, 'SOA')[0].serial

def transfer(zone, origin, port, serial):
    query, _ = dns.xfr.make_query(zone, serial=serial)
    dns.query.inbound_xfr('127.0.0.1', zone, query=query, port=port, timeout=240)
    return zone

def poll(name, port):
    origin = dns.name.from_text(name)
    empty = lambda: dns.zone.Zone(origin, relativize=False)
    try:
        now = transfer(empty(), origin, port, None)
    except dns.xfr.TransferError as error:
        return {'serial': None, 'faults': []}
    serial, lines = serial_of(now, origin), lines_of(now)
    versions = held.setdefault(name, {})
    faults = []
    if serial in versions and versions[serial] != lines:
        faults.append(f'{name} {serial} was served with other records: {sorted(set(versions[serial]) ^ set(lines))}')
    for before, text in versions.items():
        if before > serial:
            faults.append(f'{name} is at {serial}, and {before} was served')
            continue
        copy = dns.zone.from_text('\\n'.join(text), origin, relativize=False, check_origin=False)
        after = lines_of(transfer(copy, origin, port, before))
        if after != lines:
            faults.append(f'{name} IXFR from {before} does not lead to {serial}: {sorted(set(after) ^ set(lines))}')
    versions[serial] = lines
    return {'serial': serial, 'faults': faults}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = poll(asked['name'], asked['port'])
    except Exception as error:
        answer = {'serial': None, 'faults': [f"{asked['name']}: {type(error).__name__} {error}"]}
    print(json.dumps(answer), flush=True)
`;

export interface Polled {
  /** Null when the zone is not served. */
  readonly serial: number | null;
  readonly faults: readonly string[];
}

export class ModelSecondary {
  readonly #child: ChildProcess;
  readonly #answers: Interface;

  constructor() {
    this.#child = spawn(peer('dnspython')!, ['-c', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#answers = createInterface({ input: this.#child.stdout! });
  }

  /** Takes in what a primary on loopback serves now. One call at a time. */
  async poll(name: string, port: number): Promise<Polled> {
    const answer = new Promise<string>((resolve) => this.#answers.once('line', resolve));
    this.#child.stdin!.write(`${JSON.stringify({ name, port })}\n`);
    return JSON.parse(await answer) as Polled;
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
