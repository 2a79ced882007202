/** What metrics tell of the last verification of the database. */

/** What the last verification of the database came to. */
export interface VerifyTotals {
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  readonly findings: number;
  readonly durationMs: number;
}

/** `last` is undefined before the first verification. */
export function addVerifyGauges(
  gauge: (name: string, help: string, read: () => number) => void,
  last: () => VerifyTotals | undefined,
): void {
  gauge(
    'zonebook_database_verify_timestamp_seconds',
    'When the database was last verified, in seconds since 1970; 0 before the first time.',
    () => (last()?.atMs ?? 0) / 1000,
  );
  gauge(
    'zonebook_database_verify_duration_seconds',
    'Seconds that the last verification of the database took.',
    () => (last()?.durationMs ?? 0) / 1000,
  );
  gauge(
    'zonebook_database_verify_findings',
    'What the last verification of the database found; 0 when all was intact.',
    () => last()?.findings ?? 0,
  );
}
