/** Programs of others that judge a signed zone: what each says of a master file. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { printAbsoluteName } from '../../src/dns/name.ts';
import { peer } from './peers.ts';
import { type MemoryZone, masterFile, type TestTerms } from './signed-zone.ts';

export const verifiers = ['ldns-verify-zone', 'dnssec-verify', 'kzonecheck'] as const;

/** What has to be known of a zone to judge its master file. */
export interface JudgeTerms {
  /** The apex with its closing dot. */
  readonly origin: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Keys that are secure entry points and sign data as well. */
  readonly cskCount: number;
}

/** Complaints about a zone at the time of its terms; empty when all that can be asked accept it. */
export function complaints(zone: MemoryZone, terms: TestTerms): Promise<string[]> {
  const { apex, now, keys } = terms;
  const cskCount = keys.filter((key) => key.role === 'csk').length;
  return complaintsOf(masterFile(zone, terms), { origin: printAbsoluteName(apex), now, cskCount });
}

/** The same of a master file, as it was exported or transferred. */
export async function complaintsOf(text: string, terms: JudgeTerms): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-signed-'));
  const file = join(folder, 'zone');
  writeFileSync(file, text);
  const { origin, now, cskCount } = terms;
  const seconds = String(Math.floor(now / 1000));
  const asked = [complaintOf('ldns-verify-zone', ['-t', ldnsTime(now), file])];
  // Knot 3.2 knows a CSK only where it is the one key: it refuses what BIND signed with two as well.
  if (cskCount < 2) {
    asked.push(complaintOf('kzonecheck', ['-d', 'on', '-t', seconds, '-o', origin, file]));
  }
  // With a CSK the key that signs data is a KSK as well, which BIND has to be told (-z).
  const anyKey = cskCount > 0 ? ['-z'] : [];
  const isPresent = Math.abs(now - Date.now()) < presentMs;
  if (isPresent) asked.push(complaintOf('dnssec-verify', [...anyKey, '-o', origin, file]));
  try {
    return (await Promise.all(asked)).filter((complaint) => complaint !== undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** BIND's program knows no time but the present; our inceptions lie an hour back. */
const presentMs = 1_800_000;

function ldnsTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace(/\D/g, '');
}

async function complaintOf(
  name: (typeof verifiers)[number],
  args: string[],
): Promise<string | undefined> {
  try {
    await promisify(execFile)(peer(name)!, args);
    return undefined;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${name}: ${stdout}${stderr}`;
  }
}
