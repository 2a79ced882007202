/**
 * Any sequence of changes, backups, restarts, kills and takings back: a secondary that remembers every
 * version it ever saw never sees one of their serials with other records, and every IXFR leads to what an
 * AXFR gives. Nothing that was taken back is served as if it were not, and nothing else is refused.
 */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ModelSecondary } from '../support/model-secondary.ts';
import { needsPeers } from '../support/peers.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { runs } from '../support/stored-zones.ts';

const names = ['a.example', 'b.example', 'c.example'];
const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

type Step =
  | { readonly kind: 'change' | 'unchange' | 'toggle' | 'create' | 'delete'; readonly at: number }
  | { readonly kind: 'undelete' | 'rename' | 'sign'; readonly at: number }
  | { readonly kind: 'backup' | 'restart' | 'kill' | 'forget-epoch' }
  | { readonly kind: 'restore' | 'copy-back'; readonly which: number };

const at = fc.nat(names.length - 1);
const change = fc.record({ kind: fc.constantFrom('change' as const, 'unchange' as const), at });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: change, weight: 6 },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'toggle' as const,
        'create' as const,
        'delete' as const,
        'undelete' as const,
        'rename' as const,
        'sign' as const,
      ),
      at,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ kind: fc.constantFrom('backup' as const, 'restart' as const) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'forget-epoch' as const) }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('restore' as const, 'copy-back' as const),
      which: fc.nat(3),
    }),
    weight: 3,
  },
);

/** The greatest event of a database that nobody has open. */
function lastSeq(file: string): number {
  const database = new Sqlite(file);
  try {
    return database.prepare('SELECT coalesce(max(seq), 0) FROM event').pluck().get() as number;
  } finally {
    database.close();
  }
}

class Play {
  readonly #served: ServedFolder;
  readonly #secondary: ModelSecondary;
  readonly #backups: string[] = [];
  #made = 0;

  constructor(served: ServedFolder, secondary: ModelSecondary) {
    this.#served = served;
    this.#secondary = secondary;
  }

  async begin(): Promise<void> {
    await this.#served.start();
    // Lets this host pull zones. Nobody listens there, so nobody says which serials were served.
    const secondary = { name: 'here', address: '127.0.0.1:9' };
    expect((await this.#served.call('POST', '/secondaries', secondary)).status).toBe(201);
    await this.take({ kind: 'create', at: 0 });
    await this.take({ kind: 'backup' });
    await this.take({ kind: 'create', at: 1 });
    await this.take({ kind: 'sign', at: 1 });
    await this.take({ kind: 'backup' });
  }

  /** Callers' mistakes, such as a zone that is not there, are answered and change nothing. */
  async #call(method: string, path: string, body?: unknown): Promise<void> {
    const { status } = await this.#served.call(method, path, body);
    expect(status).toBeLessThan(500);
  }

  async take(step: Step): Promise<void> {
    const served = this.#served;
    const name = 'at' in step ? names[step.at]! : '';
    switch (step.kind) {
      case 'change':
        return this.#call('POST', '/records', {
          zone_name: name,
          name: `r${this.#made % 4}`,
          type: 'TXT',
          value: `value ${this.#made++}`,
        });
      case 'unchange':
        return this.#call('DELETE', `/records?zone_name=${name}&name=r${this.#made % 4}&type=TXT`);
      case 'toggle': {
        const { body } = await served.call('GET', `/zones/${name}`);
        return this.#call('PUT', `/zones/${name}`, { enabled: body.zone?.enabled === false });
      }
      case 'create':
        return this.#call('POST', '/zones', { name, ...soa });
      case 'delete':
        return this.#call('DELETE', `/zones/${name}`);
      case 'undelete':
        return this.#call('POST', `/zones/${name}/restore`);
      case 'rename':
        return this.#call('PUT', `/zones/${name}`, { name: names[(step.at + 1) % names.length] });
      case 'sign':
        return this.#sign(name);
      case 'backup': {
        const file = served.beside(`backup${this.#backups.length}.db`);
        expect((await served.cli('backup', file)).code).toBe(0);
        this.#backups.push(file);
        return;
      }
      case 'restart':
        await served.stop();
        return served.start();
      case 'kill':
        await served.kill();
        return served.start();
      case 'forget-epoch':
        await served.stop();
        rmSync(join(served.folder, 'epoch'));
        await expect(served.start()).rejects.toThrow('no epoch file');
        return served.start({ recover: true });
      case 'restore': {
        await served.stop();
        const { code, err } = await served.cli('restore', this.#backup(step.which));
        expect([code, err]).toEqual([0, '']);
        return served.start();
      }
      case 'copy-back':
        return this.#copyBack(this.#backup(step.which));
    }
  }

  async #sign(name: string): Promise<void> {
    const body = { parent_ns_addrs: ['127.0.0.1'] };
    const { status } = await this.#served.call('POST', `/zones/${name}/dnssec`, body);
    expect([201, 404, 409]).toContain(status);
  }

  #backup(which: number): string {
    return this.#backups[which % this.#backups.length]!;
  }

  async #copyBack(backup: string): Promise<void> {
    const served = this.#served;
    await served.stop();
    const { epoch } = served.epochFile();
    const loses = lastSeq(backup) < lastSeq(served.database) || epochOf(backup) < epoch;
    for (const suffix of ['-wal', '-shm']) rmSync(`${served.database}${suffix}`, { force: true });
    copyFileSync(backup, served.database);
    if (!loses) return served.start();
    await expect(served.start()).rejects.toThrow('was taken back');
    return served.start({ recover: true });
  }

  /** What a secondary makes of all that is served. */
  async look(): Promise<string[]> {
    const faults: string[] = [];
    for (const name of [...names, 'catalog.invalid']) {
      const polled = await this.#secondary.poll(name, this.#served.dnsPort);
      faults.push(...polled.faults);
    }
    return faults;
  }
}

function epochOf(file: string): number {
  const database = new Sqlite(file);
  try {
    return database.pragma('user_version', { simple: true }) as number;
  } finally {
    database.close();
  }
}

needsPeers('dnspython')('case 96: a database that is taken back again and again', () => {
  it('never shows a secondary one serial with two contents, and IXFR leads where AXFR does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
        await using served = await ServedFolder.make();
        using secondary = new ModelSecondary();
        const play = new Play(served, secondary);
        await play.begin();
        expect(await play.look()).toEqual([]);
        for (const each of steps) {
          await play.take(each);
          expect(await play.look()).toEqual([]);
        }
        await served.stop();
        const verified = await served.cli('journal', 'verify');
        expect([verified.code, verified.err]).toEqual([0, '']);
      }),
      { numRuns: runs(5), endOnFailure: true },
    );
  });
});
