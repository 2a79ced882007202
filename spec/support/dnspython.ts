/**
 * Programs in dnspython: a second opinion on messages, written down beside the test that asks.
 *
 * A program gets `port` and reads what it is given as JSON from `given`; what it puts into `result`
 * comes back.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { peer } from './peers.ts';

const prelude = `
import json, socket, struct, sys
import dns.flags, dns.message, dns.name, dns.opcode, dns.query, dns.rcode, dns.rdatatype, dns.xfr, dns.zone, dns.edns
port, given = int(sys.argv[1]), json.loads(sys.argv[2])
result = None
`;

export async function dnspython<T>(
  port: number,
  program: string,
  given: unknown = null,
): Promise<T> {
  const whole = `${prelude}\n${program}\nprint(json.dumps(result))`;
  const args = ['-c', whole, String(port), JSON.stringify(given)];
  const { stdout } = await promisify(execFile)(peer('dnspython')!, args, { maxBuffer: 1 << 28 });
  return JSON.parse(stdout) as T;
}
