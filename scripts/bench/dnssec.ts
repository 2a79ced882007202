/**
 * Signing beside the signers of others in the same run: enabling a zone of many names, one change in a
 * signed zone small and large, and signed updates into an NSEC3 zone. Programs that sign files read and
 * write them as well; what the service does is on disk, journalled and readable when it answers.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peer } from '../../spec/support/peers.ts';
import type { RunningService } from '../../spec/support/service.ts';
import type { Note } from './update.ts';

const parents = { parent_ns_addrs: ['127.0.0.1:9'] };

export async function benchDnssec(
  service: RunningService,
  names: number,
  note: Note,
): Promise<void> {
  await benchEnabling(service, names, note);
  await benchSignedChange(service, 10_000, note);
  await benchSignedChange(service, names, note);
}

/** Only the comparison with the programs that sign files. */
export async function benchEnabling(
  service: RunningService,
  names: number,
  note: Note,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-dnssec-'));
  try {
    await benchEnable(service, Math.min(names, 100_000), folder, note);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A zone of so many names with one address each. */
function zoneText(zone: string, names: number): string {
  const lines = [
    `$ORIGIN ${zone}.`,
    `@ 3600 IN SOA ns1.${zone}. hostmaster.${zone}. 1 300 60 3600000 3600`,
    `@ 3600 IN NS ns1.${zone}.`,
    'ns1 3600 IN A 192.0.2.1',
  ];
  for (let index = 0; index < names; index++) {
    const [high, middle, low] = [(index >> 16) & 255, (index >> 8) & 255, index & 255];
    lines.push(`host-${index} 3600 IN A 10.${high}.${middle}.${low}`);
  }
  return `${lines.join('\n')}\n`;
}

async function imported(service: RunningService, zone: string, names: number): Promise<string> {
  const content = zoneText(zone, names);
  await service.must('POST', `/zones/${zone}/import`, { content, create: true });
  return content;
}

async function benchEnable(
  service: RunningService,
  names: number,
  folder: string,
  note: Note,
): Promise<void> {
  const zone = 'enable.example';
  writeFileSync(join(folder, zone), await imported(service, zone, names));
  const startedMs = performance.now();
  const { signatures } = await service.must('POST', `/zones/${zone}/dnssec`, parents);
  const seconds = (performance.now() - startedMs) / 1000;
  note(
    `enabling a zone of ${names.toLocaleString('en')} names`,
    seconds,
    's',
    `${signatures} RRSIG`,
  );
  for (const { who, sign } of fileSigners(zone, folder)) {
    const since = performance.now();
    sign();
    note(`the same by ${who}`, (performance.now() - since) / 1000, 's');
  }
}

interface FileSigner {
  readonly who: string;
  sign(): void;
}

/** Programs that sign a master file with NSEC3 and one key for everything, P-256. */
function fileSigners(zone: string, folder: string): FileSigner[] {
  const run = (program: string, ...args: string[]) =>
    execFileSync(peer(program)!, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const signers: FileSigner[] = [];
  if (peer('kzonesign') !== undefined) {
    const config = join(folder, 'knot.conf');
    writeFileSync(
      config,
      `server:\n    rundir: ${folder}\ndatabase:\n    storage: ${folder}
policy:
  - id: bench
    algorithm: ecdsap256sha256
    single-type-signing: on
    nsec3: on
    nsec3-iterations: 0
    nsec3-salt-length: 0
    signing-threads: 2
zone:
  - domain: ${zone}
    storage: ${folder}
    file: ${zone}
    dnssec-signing: on
    dnssec-policy: bench
`,
    );
    signers.push({
      who: 'kzonesign, 2 threads',
      sign: () => void run('kzonesign', '-c', config, '-o', folder.concat('/out'), zone),
    });
  }
  if (peer('dnssec-keygen') === undefined) return signers;
  run('dnssec-keygen', '-q', '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone);
  const [key] = readdirSync(folder).filter((name) => name.endsWith('.key'));
  const base = key!.replace(/\.key$/, '');
  if (peer('ldns-signzone') !== undefined) {
    signers.push({
      who: 'ldns-signzone',
      sign: () => void run('ldns-signzone', '-n', '-t', '0', '-f', 'ldns.out', zone, base),
    });
  }
  signers.push({
    who: 'dnssec-signzone -n 2, with its check',
    sign: () =>
      void run(
        'dnssec-signzone',
        '-z',
        '-n',
        '2',
        '-3',
        '-',
        '-S',
        '-o',
        zone,
        '-f',
        'bind.out',
        zone,
      ),
  });
  return signers;
}

/** One address more in a signed zone of so many names. */
async function benchSignedChange(
  service: RunningService,
  names: number,
  note: Note,
): Promise<void> {
  const zone = `signed-${names}.example`;
  await imported(service, zone, names);
  const startedMs = performance.now();
  await service.must('POST', `/zones/${zone}/dnssec`, parents);
  note(
    `enabling a zone of ${names.toLocaleString('en')} names`,
    (performance.now() - startedMs) / 1000,
    's',
  );
  const timesMs: number[] = [];
  for (let index = 0; index < 200; index++) {
    const since = performance.now();
    await service.must('POST', '/records', {
      zone_name: zone,
      name: `single-${index * 7919}`,
      type: 'A',
      value: '192.0.2.1',
    });
    timesMs.push(performance.now() - since);
  }
  timesMs.sort((a, b) => a - b);
  const what = `one change over HTTP in a signed zone of ${names.toLocaleString('en')} names, p50`;
  note(what, timesMs[100]!, 'ms', `p99 ${timesMs[198]!.toFixed(1)} ms`);
}
