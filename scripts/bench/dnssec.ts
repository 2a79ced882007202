/**
 * Rows about signing, beside the signers of others in the same run: enabling a zone of many names, and one change in a
 * signed zone small and large. Programs that sign files read and
 * write them as well; what the service does is on disk, journalled and readable when it answers.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peer } from '../../spec/support/peers.ts';
import type { Bench, BenchService, Row } from './bench.ts';
import { post } from './large-body.ts';
import { masterFile } from './mix.ts';

const parents = { parent_ns_addrs: ['127.0.0.1:9'] };
/** A program that signs files reads and writes them as well: beyond this that is all one sees. */
const maxCompared = 100_000;

async function imported({ running }: BenchService, zone: string, content: string): Promise<void> {
  const body = JSON.stringify({ content, create: true });
  await post(running.apiPort, `/zones/${zone}/import`, body);
}

/** The first signing of a zone, beside programs that sign files. */
async function enabling(bench: Bench): Promise<void> {
  await using service = await bench.service();
  const folder = mkdtempSync(join(tmpdir(), 'bench-dnssec-'));
  try {
    const zone = 'enable.example';
    const count = Math.min(bench.options.records, maxCompared);
    const content = masterFile(zone, count, bench.options.seed);
    writeFileSync(join(folder, zone), content);
    await imported(service, zone, content);
    const sign = () => service.running.must('POST', `/zones/${zone}/dnssec`, parents);
    const { result, seconds, perOperation } = await bench.measured(service, sign);
    const remark = `${result.signatures} RRSIG`;
    bench.note('first signing', seconds, 's', { remark, ...perOperation(result.signatures) });
    for (const signer of fileSigners(zone, folder)) {
      const since = performance.now();
      signer.sign();
      bench.note(`the same by ${signer.who}`, (performance.now() - since) / 1000, 's');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
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

/** Single changes in a signed zone, a hundredth as large and as large as asked for. */
async function signedChange(bench: Bench): Promise<void> {
  for (const count of [bench.options.records / 100, bench.options.records]) {
    await using service = await bench.service();
    const zone = `signed-${count}.example`;
    await imported(service, zone, masterFile(zone, count, bench.options.seed));
    const sign = () => service.running.must('POST', `/zones/${zone}/dnssec`, parents);
    const { seconds } = await bench.measured(service, sign);
    bench.note(`first signing of ${count} records`, seconds, 's');
    const { apiPort: port } = service.running;
    const job = { port, zone, chunk: 1, clients: 1, first: count + 1000, count: 200 };
    const { result, perOperation } = await bench.measured(service, () => bench.load(job));
    const remark = `p99 ${result.p99Ms.toFixed(1)} ms, failed ${result.failed}`;
    const what = `one change in a signed zone of ${count} records, p50`;
    bench.note(what, result.p50Ms, 'ms', { remark, ...perOperation(200) });
  }
}

export const dnssecRows: readonly Row[] = [
  { name: 'enabling', what: 'the first signing, beside programs that sign files', run: enabling },
  { name: 'signed-change', what: 'single changes in signed zones', run: signedChange },
];
