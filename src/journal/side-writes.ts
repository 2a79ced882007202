/**
 * Writes beside the engine, of what is noted and not journalled: they wait for whoever else writes, and where the
 * storage can not be written they are put off, and nobody fails because of them.
 */
import type { Connection } from './sqlite.ts';
import { unguarded, type WriteGate } from './storage.ts';

export interface SideWrites {
  /** Runs work in a transaction of its own. False when it could not be written now: nothing of it is. */
  run(work: () => void): boolean;
}

/** `settle` returns when whoever else writes is done. */
export function sideWrites(
  connection: Connection,
  settle: () => void = () => {},
  gate: WriteGate = unguarded,
): SideWrites {
  return {
    run(work) {
      if (!gate.isWritable) return false;
      settle();
      if (connection.inTransaction || !gate.isWritable) return false;
      try {
        connection.transaction(work)();
        return true;
      } catch (error) {
        if (gate.failed(error) === error) throw error;
        return false;
      }
    },
  };
}
