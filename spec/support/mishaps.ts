/**
 * What happens to a service and its zones besides their keys: changes of records, an earlier version, a file
 * read in, the process killed, the database taken back to a copy of a moment ago.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MovedLife } from './moved-life.ts';
import { program } from './program.ts';
import type { RunningService } from './service.ts';
import type { Dice } from './zone-changes.ts';

export const mishapKinds = ['change', 'rollback', 'import', 'kill', 'restore'] as const;
export type MishapKind = (typeof mishapKinds)[number];

/** Seconds; none above what the zone began with. */
const ttls = [300, 3600, 4 * 3600];

export class Mishaps {
  readonly count = new Map<MishapKind, number>();
  readonly #service: RunningService;
  readonly #env: Readonly<Record<string, string>>;
  readonly #dice: Dice;
  readonly #passes: (seconds: number) => Promise<void>;
  /** Serials of users' versions, by zone. */
  readonly #serials = new Map<string, number[]>();
  #changes = 0;

  /** `env` is for the processes of the command line; `passes` lets seconds pass. */
  constructor(
    service: RunningService,
    env: Readonly<Record<string, string>>,
    dice: Dice,
    passes: (seconds: number) => Promise<void>,
  ) {
    this.#service = service;
    this.#env = env;
    this.#dice = dice;
    this.#passes = passes;
  }

  async happens(kind: MishapKind, lives: readonly MovedLife[]): Promise<void> {
    const { name } = lives[this.#dice(lives.length)]!;
    switch (kind) {
      case 'change':
        await this.#change(name);
        break;
      case 'rollback':
        await this.#rollBack(name);
        break;
      case 'import':
        await this.#import(name);
        break;
      case 'kill':
        await this.#service.end('SIGKILL');
        await this.#service.start();
        break;
      case 'restore':
        if (!(await this.#restore(name, lives))) return;
    }
    this.count.set(kind, (this.count.get(kind) ?? 0) + 1);
  }

  async #addName(zone: string): Promise<void> {
    const name = `change${this.#changes++}`;
    const record = { zone_name: zone, name, type: 'A', value: '192.0.2.9' };
    await this.#service.must('POST', '/records', record);
  }

  /** A new name, and another TTL of an old one. */
  async #change(zone: string): Promise<void> {
    await this.#addName(zone);
    const path = `/records?zone_name=${zone}&name=long`;
    const [{ id }] = (await this.#service.must('GET', path)).items;
    const ttl = ttls[this.#dice(ttls.length)];
    await this.#service.must('PUT', `/records/${id}`, { ttl });
    const serials = this.#serials.get(zone) ?? [];
    serials.push((await this.#service.must('GET', `/zones/${zone}`)).zone.serial);
    this.#serials.set(zone, serials);
  }

  async #rollBack(zone: string): Promise<void> {
    await this.#change(zone);
    const serials = this.#serials.get(zone)!;
    const serial = serials[this.#dice(serials.length)]!;
    await this.#change(zone);
    await this.#service.must('POST', `/zones/${zone}/versions/${serial}/rollback`, {});
  }

  /** The zone as it is, but for the names of changes. */
  async #import(zone: string): Promise<void> {
    const { body } = await this.#service.call('GET', `/zones/${zone}/export`);
    const lines = (body as string).split('\n').filter((line) => !/^change\d/.test(line));
    await this.#service.must('POST', `/zones/${zone}/import`, {
      content: lines.join('\n'),
      mode: 'replace',
    });
  }

  /**
   * To a copy of half an hour ago, if it has the same keys as the zones have now: without them nobody could
   * sign. A larger TTL that only the time between has seen would be forgotten, so there is none.
   */
  async #restore(zone: string, lives: readonly MovedLife[]): Promise<boolean> {
    const file = join(this.#service.dataDir, 'copy.db');
    rmSync(file, { force: true });
    const before = await keysOf(lives);
    await this.#command('backup', file);
    await this.#addName(zone);
    await this.#passes(300 + this.#dice(1800));
    if ((await keysOf(lives)) !== before) return false;
    await this.#service.end('SIGKILL');
    await this.#command('restore', file);
    await this.#service.start();
    // Its serials are not to be gone back to any more.
    this.#serials.clear();
    return true;
  }

  async #command(...words: string[]): Promise<void> {
    const args = [...program.args, ...words, '--data-dir', this.#service.dataDir];
    const env = { PATH: process.env.PATH ?? '', ...this.#env };
    await promisify(execFile)(program.file, args, { env });
  }
}

async function keysOf(lives: readonly MovedLife[]): Promise<string> {
  const all = await Promise.all(lives.map(async (life) => `${life.name}: ${await life.keys()}`));
  return all.join('\n');
}
