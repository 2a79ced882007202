/** Whole zones as servers on loopback hand them out. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { peer } from './peers.ts';

/** A zone by AXFR, as a master file with one SOA at its head; all servers in dig's spelling. */
export async function transferOf(port: number, zone: string): Promise<string> {
  const server = ['@127.0.0.1', '-p', String(port)];
  const shown = ['+noall', '+answer', '+onesoa', '+nosplit', '+time=30', '+tries=1'];
  const { stdout } = await promisify(execFile)(peer('dig')!, [...server, ...shown, zone, 'AXFR'], {
    maxBuffer: 1 << 28,
  });
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return `${lines.join('\n')}\n`;
}

/** The records of a master file from above in one order, with single blanks. */
export function sortedRecords(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).join(' '))
    .sort();
}
