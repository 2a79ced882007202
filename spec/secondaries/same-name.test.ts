/**
 * Another zone under a name that was served before: real secondaries of the former one end with the content of the
 * new one, whatever serial its file has, and no delta of it leads on from a serial of the former.
 */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'again.example';
const serial = 2026_112_301;

const fileOf = (www: string) =>
  [
    '$TTL 300',
    `@ IN SOA ns1.${zone}. hostmaster.${zone}. ${serial} 300 60 3600000 60`,
    `@ IN NS ns1.${zone}.`,
    'ns1 IN A 192.0.2.53',
    'mail IN A 192.0.2.25',
    `www IN A ${www}`,
    '',
  ].join('\n');

async function importZone(service: RunningService, www: string) {
  const words = ['zone', 'import', zone, '-', '--create', '-o', 'json'];
  const { code, out, err } = await run(words, { dataDir: service.dataDir, stdin: fileOf(www) });
  expect(code, err).toBe(0);
  return { ...JSON.parse(out), err };
}

const addressAt = (secondary: RunningSecondary, name: string) =>
  secondary.dig(`${name}.${zone}`, 'A').map((line) => line.split(/\s+/).at(-1));

const change = (service: RunningService, name: string) =>
  service.must('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.7' });

needsPeers(
  'named',
  'knotd',
  'nsd',
  'dig',
)('a zone whose name was served before', () => {
  it('reaches secondaries of the former one, though its file has the same serial', async () => {
    await using service = await startService({ ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1' });
    await using stack = new AsyncDisposableStack();
    expect((await importZone(service, '192.0.2.1')).err).toBe('');
    const secondaries: RunningSecondary[] = [];
    for (const kind of ['named', 'knotd', 'nsd'] as const) {
      const secondary = stack.use(await startSecondary(kind, zone, service.dnsPort));
      const address = `127.0.0.1:${secondary.port}`;
      await service.must('POST', '/secondaries', { name: kind, address });
      secondaries.push(secondary);
    }
    for (const secondary of secondaries) await secondary.waitForSerial(serial);

    await service.must('DELETE', `/zones/${zone}`);
    const { warnings, err } = await importZone(service, '192.0.2.2');
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'SERIAL_RAISED', name: `${zone}.`, type: 'SOA' }),
    );
    expect(err).toContain(`is ${serial + 1} and not ${serial}`);
    for (const secondary of secondaries) {
      await secondary.waitForSerial(serial + 1);
      expect(addressAt(secondary, 'www'), secondary.kind).toEqual(['192.0.2.2']);
    }
    await change(service, 'more');
    for (const secondary of secondaries) {
      await secondary.waitForSerial(serial + 2);
      expect(addressAt(secondary, 'www'), secondary.kind).toEqual(['192.0.2.2']);
      expect(addressAt(secondary, 'more'), secondary.kind).toEqual(['192.0.2.7']);
    }
  });

  it('is transferred whole from every serial of the former one, if its caller gave one of those', async () => {
    await using service = await startService();
    await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
    const soa = { mname: `ns1.${zone}`, rname: `hostmaster@${zone}` };
    await service.must('POST', '/zones', { name: zone, ...soa });
    for (const name of ['a', 'b', 'c', 'd']) await change(service, name);
    await service.must('DELETE', `/zones/${zone}`);
    const made = await service.must('POST', '/zones', { name: zone, ...soa, serial: 3 });
    expect(made.warnings).toContainEqual(expect.objectContaining({ code: 'SERIAL_BEHIND' }));
    const records = Array.from({ length: 20 }, (_, at) => ({
      name: `host-${at}`,
      type: 'A',
      value: '192.0.2.8',
    }));
    // Serial 4; a delta of one record is far shorter than the zone from here on.
    await service.must('POST', '/records/bulk', { zone_name: zone, records });
    for (const name of ['e', 'f', 'g', 'h']) await change(service, name);
    const linesFrom = (from: number) => {
      const args = ['@127.0.0.1', '-p', String(service.dnsPort), zone, `IXFR=${from}`];
      const text = execFileSync(peer('dig')!, [...args, '+noall', '+answer', '+nocrypto'], {
        encoding: 'utf8',
      });
      return text.split('\n').filter((line) => line !== '' && !line.startsWith(';')).length;
    };
    const whole = 2 + 1 + 20 + 4;
    expect([3, 4, 5].map(linesFrom)).toEqual([whole, whole, whole]);
    // The former zone ended at 5.
    expect([6, 7].map(linesFrom)).toEqual([4 + 2, 4 + 1]);
  });
});
