/**
 * Clients of dynamic updates as their users run them: BIND's nsupdate and Knot's knsupdate, which
 * take the same commands, and a zone that keys of a running service may write.
 */
import { spawn } from 'node:child_process';
import { peer } from './peers.ts';
import type { PeerKey } from './secondaries.ts';
import type { RunningService } from './service.ts';

export const updaters = ['nsupdate', 'knsupdate'] as const;
export type Updater = (typeof updaters)[number];

export interface UpdateTarget {
  readonly port: number;
  readonly zone: string;
  /** Unsigned without one. */
  readonly key?: PeerKey | undefined;
  readonly tcp?: boolean;
}

/** Sends one update, written as the client's commands; returns the RCODE of the answer. */
export async function sendUpdate(
  updater: Updater,
  { port, zone, key, tcp = false }: UpdateTarget,
  ...commands: string[]
): Promise<string> {
  const keyLine = key === undefined ? [] : [`key ${key.algorithm}:${key.name} ${key.secret}`];
  const lines = [`server 127.0.0.1 ${port}`, `zone ${zone}`, ...keyLine, ...commands, 'send'];
  const output = await outputOf(peer(updater)!, tcp ? ['-v'] : [], [...lines, 'answer', '']);
  // Both say nothing of their own when it went well; a failure is told before the answer is.
  const failed = /update failed: (\w+)|failed with error '(\w+)'/.exec(output);
  const status = failed?.[1] ?? failed?.[2] ?? /status: (\w+)/.exec(output)?.[1];
  if (status === undefined) throw new Error(`${updater} told no answer:\n${output}`);
  return status;
}

function outputOf(program: string, args: string[], lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', () => resolve(output));
    child.stdin.on('error', () => {});
    child.stdin.end(lines.join('\n'));
  });
}

export interface UpdateGrant {
  readonly actions: readonly string[];
  readonly record_name_pattern?: string;
  readonly record_types?: string;
}

const everything: UpdateGrant = {
  actions: ['zone:update', 'record:read', 'record:create', 'record:delete'],
};

/** Makes a key whose role has these grants in a zone. */
export async function makeUpdateKey(
  service: RunningService,
  name: string,
  zone: string,
  grants: readonly UpdateGrant[] = [everything],
  algorithm = 'hmac-sha256',
): Promise<PeerKey> {
  const role = `role-of-${name}`;
  await service.must('POST', '/roles', { name: role });
  for (const grant of grants) {
    await service.must('POST', `/roles/${role}/grants`, { ...grant, zone_name: zone });
  }
  const { secret } = await service.must('POST', '/tsig-keys', { name, role_name: role, algorithm });
  return { name, algorithm, secret };
}

/** A zone without NS of its own making, holding records given as `name ttl type value`. */
export async function makeZoneOf(
  service: RunningService,
  name: string,
  ...records: string[]
): Promise<void> {
  const soa = { mname: 'ns1.example.net', rname: 'hostmaster@example.net' };
  await service.must('POST', '/zones', { name, ...soa });
  const rows = records.map((line) => {
    const [, owner, ttl, type, value] = /^(\S+) (\d+) (\S+) (.*)$/.exec(line)!;
    return { name: owner, ttl: Number(ttl), type, value };
  });
  if (rows.length > 0) {
    await service.must('POST', '/records/bulk', { zone_name: name, records: rows });
  }
}

/** The records of a zone as `name ttl type value`, by name, then age; names are relative. */
export async function recordsOf(service: RunningService, zone: string): Promise<string[]> {
  const { items } = await service.must('GET', `/records?zone_name=${zone}&limit=1000`);
  const suffix = `.${zone}.`;
  return items.map(
    ({ name, ttl, type, value, priority }: Record<string, string | number | null>) => {
      const owner = name === `${zone}.` ? '@' : String(name).slice(0, -suffix.length);
      const words = [owner, ttl, type, priority, value];
      return words.filter((word) => word !== null).join(' ');
    },
  );
}

export async function serialOf(service: RunningService, zone: string): Promise<number> {
  return (await service.must('GET', `/zones/${zone}`)).zone.serial;
}
