/**
 * A database that was taken back while real secondaries went on: they hold serials that it never saw, with
 * other records, and in the end serve what the primary serves all the same.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'example.com';
const catalog = 'catalog.invalid';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const kinds = ['named', 'knotd', 'nsd'] as const;

async function change(service: RunningService, name: string): Promise<void> {
  await service.must('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.1' });
}

/** Every line of a zone as AXFR has it, SOAs included. */
function transferred(secondary: RunningSecondary): string[] {
  return secondary
    .dig(secondary.zone, 'AXFR')
    .map((line) => line.split(/\s+/).join(' '))
    .sort();
}

async function primaryLines(service: RunningService, name: string): Promise<string[]> {
  const args = ['@127.0.0.1', '-p', String(service.dnsPort), name, 'AXFR', '+noall', '+answer'];
  const text = execFileSync(peer('dig')!, [...args, '+nocrypto', '+tries=1', '+time=30'], {
    encoding: 'utf8',
  });
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.split(/\s+/).join(' '))
    .sort();
}

function serialIn(lines: readonly string[]): number {
  const line = lines.find((each) => each.includes(' IN SOA '));
  return Number(line?.split(' ')[6]);
}

/** Puts an older state of the database in its place, while no service runs, and starts again. */
const ways: Record<string, (service: RunningService, backup: string) => Promise<void>> = {
  'zonebook restore': async (service, backup) => {
    const tried = await run(['restore', backup, '--dry-run', '-o', 'json'], {
      dataDir: service.dataDir,
    });
    const plan = JSON.parse(tried.out);
    expect(plan).toMatchObject({ dry_run: true, former: null, epoch: 2 });
    const row = plan.zones.find((each: { zone: string }) => each.zone === zone);
    expect(row).toMatchObject({ backup_serial: 51, replaced_serial: 56, next_serial: 56 + 65_536 });
    expect(row.secondaries.map(({ serial }: { serial: number | null }) => serial)).toContain(56);
    const restored = await run(['restore', backup, '-o', 'json'], { dataDir: service.dataDir });
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(JSON.parse(restored.out).zones).toEqual(plan.zones);
    await service.start();
  },
  'a copy put back by hand': async (service, backup) => {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(join(service.dataDir, `zonebook.db${suffix}`), { force: true });
    }
    copyFileSync(backup, join(service.dataDir, 'zonebook.db'));
    const { code, said } = await service.refusal();
    expect(code).toBe(6);
    expect(said).toContain('was taken back');
    expect(said).toContain('serve --recover');
    await service.start('--recover');
  },
};

needsPeers(...kinds, 'dig')(
  'case 96: named, knotd and nsd after the database was taken back',
  () => {
    for (const [way, takeBack] of Object.entries(ways)) {
      it(`serve what the primary serves, the catalog too: ${way}`, async () => {
        await using service = await startService({ ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1' });
        await using stack = new AsyncDisposableStack();
        await service.must('POST', '/zones', { name: zone, ...soa });
        const secondaries: RunningSecondary[] = [];
        for (const kind of kinds) {
          for (const name of [zone, catalog]) {
            const secondary = stack.use(await startSecondary(kind, name, service.dnsPort));
            const address = `127.0.0.1:${secondary.port}`;
            const names = { name: `${kind}-${secondary.port}`, address };
            await service.must('POST', '/secondaries', names);
            secondaries.push(secondary);
          }
        }
        for (let index = 0; index < 50; index++) await change(service, `kept-${index}`);
        const backup = join(service.dataDir, 'backup.db');
        expect((await run(['backup', backup], { dataDir: service.dataDir })).code).toBe(0);
        for (let index = 0; index < 5; index++) await change(service, `lost-${index}`);
        await service.must('POST', '/zones', { name: 'lost.example', ...soa });
        const catalogBefore = serialIn(await primaryLines(service, catalog));
        for (const secondary of secondaries) {
          await secondary.waitForSerial(secondary.zone === zone ? 56 : catalogBefore);
        }
        await service.end();

        await takeBack(service, backup);
        for (let index = 0; index < 8; index++) await change(service, `new-${index}`);
        await service.must('POST', '/zones', { name: 'new.example', ...soa });

        for (const secondary of secondaries) {
          const ours = await primaryLines(service, secondary.zone);
          await secondary.waitForSerial(serialIn(ours));
          expect(transferred(secondary), secondary.kind).toEqual(ours);
        }
        const ours = await primaryLines(service, zone);
        expect(serialIn(ours)).toBe(56 + 65_536 + 8);
        const isThere = [/^kept-49\./, /^new-7\./, /^lost-/].map((name) =>
          ours.some((line) => name.test(line)),
        );
        expect(isThere).toEqual([true, true, false]);
        const status = await service.must('GET', `/zones/${zone}/status`);
        expect(status.warnings).toEqual([]);
        const { code, err } = await run(['journal', 'verify'], { dataDir: service.dataDir });
        expect([code, err]).toEqual([0, '']);
      });
    }
  },
);
