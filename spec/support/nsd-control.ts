/** nsd-control, for an nsd that a test started in a folder of its own with `nsd.conf` in it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { patienceMs } from './patience.ts';
import { peer } from './peers.ts';

/** Lines of nsd.conf that let nsd-control in, through a socket in the folder. */
export function controlPart(folder: string): string {
  return `remote-control:\n    control-enable: yes\n    control-interface: ${folder}/control`;
}

/** What nsd-control prints; throws when it fails. */
export async function askNsd(folder: string, ...words: string[]): Promise<string> {
  const args = ['-c', join(folder, 'nsd.conf'), ...words];
  return (await promisify(execFile)(peer('nsd-control')!, args, { timeout: patienceMs })).stdout;
}

/**
 * Whether a server that serves a serial has also taken note of it. nsd serves a transfer from a new process, and
 * tells the process that asks for transfers later: told of a change meanwhile, that one asks for the whole zone, and
 * the former server may go on answering. What it has noted is in its status of the zone; its log tells of it except
 * where the transfer was read along with the new zone.
 */
export async function hasNoted(
  { kind, folder }: { readonly kind: string; readonly folder: string },
  zone: string,
  serial: number,
): Promise<boolean> {
  if (kind !== 'nsd') return true;
  const status = await askNsd(folder, 'zonestatus', zone).catch(() => '');
  return status.includes(`served-serial: "${serial} since `);
}
