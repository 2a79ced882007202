/** The thread of repairs (repairer.ts): makes plans, one after the other, and writes nothing. */
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../../base/gentle-thread.ts';
import { assert, reasonOf } from '../../base/problem.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { planRepair, type RepairPlan } from '../../projection/block-repair.ts';

export interface RepairJob {
  readonly zoneId: number;
}

export type FromRepairThread =
  | { readonly kind: 'planned'; readonly plan: RepairPlan }
  | { readonly kind: 'failed'; readonly reason: string };

const port = parentPort;
assert(port !== null, 'this file is the code of a thread');
giveWayToOthers();
const file = workerData as string;

function plan(zoneId: number): FromRepairThread {
  const connection = openReader(file);
  try {
    connection.exec('BEGIN');
    return { kind: 'planned', plan: planRepair(connection, zoneId) };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  } finally {
    connection.close();
  }
}

port.on('message', ({ zoneId }: RepairJob) => port.postMessage(plan(zoneId)));
