/** The job of repairs (repairer.ts): makes plans, and writes nothing. */
import { openReader } from '../../journal/reader-connection.ts';
import { planRepair, type RepairPlan } from '../../projection/block-repair.ts';

export class RepairJob {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  plan(zoneId: number): RepairPlan {
    const connection = openReader(this.#file);
    try {
      connection.exec('BEGIN');
      return planRepair(connection, zoneId);
    } finally {
      connection.close();
    }
  }
}
