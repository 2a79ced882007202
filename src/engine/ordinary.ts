/** Which commands are ordinary: changes of a few records, which read nothing but what is kept in memory. */
import type { Command } from '../domain/command.ts';
import type { SubmitOptions } from './submission.ts';

/** Commands that read nothing but what is gathered in memory too. */
export const recordCommands: ReadonlySet<Command['kind']> = new Set([
  'create-records',
  'update-record',
  'delete-record',
  'delete-records',
  'dynamic-update',
  'apply-external-dns',
]);

/** Records that such a command names at most, so that a batch of them stays small. */
const fewRecords = 100;

export function isOrdinary(command: Command, { prepared }: SubmitOptions): boolean {
  return (
    prepared === undefined && recordCommands.has(command.kind) && sizeOf(command) <= fewRecords
  );
}

function sizeOf(command: Command): number {
  if (command.kind === 'create-records') return command.records.length;
  if (command.kind === 'dynamic-update') return command.steps.length;
  return command.kind === 'apply-external-dns' ? Number.POSITIVE_INFINITY : 1;
}
