/** Reads every block of every zone, and finds those that are not what was written. */
import { StoredDamage } from '../journal/damage.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { type VerifyResult, verifyResult } from '../journal/verify-result.ts';
import { JoinedBlockQuery } from './block-row.ts';

/** Blocks read at a time: some hundred KB. */
const blocksAtOnce = 128;

interface ZoneRow {
  readonly id: number;
  readonly name: string;
}

export class BlockCheck {
  readonly #blocks: JoinedBlockQuery;
  readonly #zones: Statement;

  constructor(connection: Connection) {
    this.#blocks = new JoinedBlockQuery(connection, 'whole', 'ever');
    this.#zones = connection.prepare(
      `SELECT id, name FROM (SELECT id, name FROM zone UNION ALL SELECT id, name FROM deleted_zone)
       WHERE id > ? ORDER BY id LIMIT 100`,
    );
  }

  /** Yields after each piece of work: undefined, or what was found in it. */
  *findings(): Generator<VerifyResult | undefined> {
    let last = 0;
    while (true) {
      const zones = this.#zones.all(last) as ZoneRow[];
      for (const zone of zones) yield* this.#zone(zone);
      if (zones.length === 0) return;
      last = zones.at(-1)!.id;
    }
  }

  *#zone({ id, name }: ZoneRow): Generator<VerifyResult | undefined> {
    try {
      for (const _ of this.#blocks.runs(id, blocksAtOnce)) yield undefined;
    } catch (error) {
      if (!(error instanceof StoredDamage)) throw error;
      const problem = `blocks of zone '${name}' do not fit their checksums`;
      yield verifyResult('BLOCK_DAMAGED', problem, { zones: [name] });
    }
  }
}
