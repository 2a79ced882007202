/**
 * One sync of an external DNS controller: some thousand endpoints with their ownership records, through the
 * adapter into a service, each a process of its own. Timings of a noisy machine: see the CPU time too.
 *
 * Usage: node scripts/bench/external-dns.ts [ENDPOINTS]
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, type WebhookEndpoint } from '../../spec/support/external-dns-controller.ts';
import { freePort } from '../../spec/support/ports.ts';
import { startService } from '../../spec/support/service.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const count = Number(process.argv[2] ?? 5000);
/** The kernel counts a process's time in hundredths of a second. */
const ticksPerSecond = 100;

/** Seconds of CPU that a process has used, in its own code and in the kernel. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

const service = await startService({ ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true' });
const zone = 'example.com';
await service.must('POST', '/zones', { name: zone, mname: `ns1.${zone}`, rname: `h@${zone}` });
const port = await freePort();
const adapter = spawn(process.execPath, [main, 'external-dns'], {
  env: {
    ...process.env,
    SVC_URL: `http://127.0.0.1:${service.apiPort}`,
    SVC_EXTERNAL_DNS_LISTEN_ADDR: `127.0.0.1:${port}`,
    SVC_EXTERNAL_DNS_HEALTH_ADDR: `127.0.0.1:${await freePort()}`,
  },
  stdio: 'ignore',
});
const controller = new Controller(`http://127.0.0.1:${port}`);
for (let attempt = 0; attempt < 300 && controller.domains.length === 0; attempt++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  await controller.negotiate().catch(() => {});
}

async function round(what: string, wanted: readonly WebhookEndpoint[]): Promise<void> {
  const pids = [service.pid, adapter.pid!];
  const before = pids.map(cpuSeconds);
  const started = performance.now();
  const changes = await controller.sync(wanted);
  const seconds = (performance.now() - started) / 1000;
  const [ofService, ofAdapter] = pids.map((pid, index) => cpuSeconds(pid) - before[index]!);
  const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
  const posted = Object.values(changes ?? {}).reduce((sum, list) => sum + list.length, 0);
  process.stdout.write(
    `${what.padEnd(24)} ${seconds.toFixed(2)} s, CPU of the service ${ofService!.toFixed(2)} s, ` +
      `of the adapter ${ofAdapter!.toFixed(2)} s; posted ${posted}, serial ${serial}\n`,
  );
}

try {
  const endpoints = Array.from({ length: count }, (_, index): WebhookEndpoint => {
    const target = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
    return { dnsName: `h${index}.${zone}`, targets: [target], recordType: 'A', recordTTL: 300 };
  });
  await round(`${count} endpoints created`, endpoints);
  await round('the same again', endpoints);
  await round('the same again', endpoints);
  const moved = endpoints.map((endpoint) => ({ ...endpoint, targets: ['192.0.2.1'] }));
  await round('all updated', moved);
  await round('all deleted', []);
} finally {
  adapter.kill('SIGTERM');
  await service[Symbol.asyncDispose]();
}
