/**
 * Measures one zone transfer: sends AXFR or IXFR over TCP and counts records by the counts in the
 * headers, so that the client costs as little as it can.
 *
 * Usage: node scripts/bench/transfer.ts PORT ZONE [SERIAL]      (with SERIAL it is an IXFR); prints one line of JSON.
 */
import { connect } from 'node:net';

const [port, zone, serial] = process.argv.slice(2) as [string, string, string | undefined];

function nameOf(text: string): Buffer {
  const labels = text.split('.').map((label) => {
    return Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]);
  });
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function queryOf(): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(4711, 0);
  header.writeUInt16BE(1, 4);
  const type = serial === undefined ? 252 : 251;
  const parts = [header, nameOf(zone), Buffer.from([type >> 8, type & 255, 0, 1])];
  if (serial !== undefined) {
    header.writeUInt16BE(1, 8);
    const soa = Buffer.alloc(12 + 22);
    soa.writeUInt16BE(0xc00c, 0);
    soa.writeUInt16BE(6, 2);
    soa.writeUInt16BE(1, 4);
    soa.writeUInt16BE(22, 10);
    soa.writeUInt32BE(Number(serial), 14);
    parts.push(soa);
  }
  const message = Buffer.concat(parts);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** True when a message's last record is a SOA of the apex and more than the first was seen. */
function endsInSoa(message: Buffer): boolean {
  // The closing SOA is the last record: its fixed tail is 5 numbers of 32 bits after two names.
  const at = message.lastIndexOf(Buffer.from([0, 6, 0, 1]));
  if (at < 0) return false;
  const dataLength = message.readUInt16BE(at + 8);
  return at + 10 + dataLength === message.length;
}

const startedMs = performance.now();
let bytes = 0;
let records = 0;
let messages = 0;
let firstMs = 0;
let pending: Buffer[] = [];
let pendingBytes = 0;

await new Promise<void>((resolve, reject) => {
  const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => socket.write(queryOf()));
  socket.on('error', reject);
  socket.on('close', () => resolve());
  socket.on('data', (chunk: Buffer) => {
    if (firstMs === 0) firstMs = performance.now() - startedMs;
    bytes += chunk.length;
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < 2) return;
    while (true) {
      const head = pending[0]!.length >= 2 ? pending[0]! : Buffer.concat(pending);
      const length = head.readUInt16BE(0);
      if (pendingBytes < 2 + length) break;
      const buffer = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
      const message = buffer.subarray(2, 2 + length);
      const rest = buffer.subarray(2 + length);
      pending = [rest];
      pendingBytes = rest.length;
      messages++;
      const count = message.readUInt16BE(6);
      records += count;
      if ((message[3]! & 15) !== 0) reject(new Error(`rcode ${message[3]! & 15}`));
      if ((messages > 1 || count > 1 || serial !== undefined) && endsInSoa(message)) {
        socket.destroy();
        return;
      }
      if (pendingBytes < 2) break;
    }
  });
});
const seconds = (performance.now() - startedMs) / 1000;
process.stdout.write(
  `${JSON.stringify({ records, bytes, messages, seconds, firstMs, perSecond: records / seconds })}\n`,
);
