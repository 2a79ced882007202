/**
 * The program of all workers of the pool (base/worker-pool.ts): the table of jobs. A worker reads the code of a job
 * when it has the first of its kind, and writes nothing; what is to be written goes to the one who opened the job.
 */
import { serveJobs } from '../base/jobs.ts';

serveJobs({
  /** Parses and checks large request bodies. */
  bodies: async () => new (await import('./body-job.ts')).BodyJob(),
  /** Reads that take long, on behalf of the threads that answer. */
  reads: async ({ file }) => new (await import('../query/reading-job.ts')).ReadingJob(file),
  /** Reads new events for all who follow them. */
  events: async ({ file }) => new (await import('../query/event-tail-job.ts')).EventTailJob(file),
  /** Reads a file or a transfer, and plans what it changes; plans large rollbacks. */
  import: async ({ file, folder }) =>
    new (await import('./import/import-job.ts')).ImportJob(file, folder),
  /** Reads and plans the records of a bulk insert as they were written. */
  bulk: async ({ file }) => new (await import('./import/bulk-job.ts')).BulkJob(file),
  /** Signs a whole zone. */
  signing: async ({ file }) => new (await import('./dnssec/signing-job.ts')).SigningJob(file),
  /** Makes damaged blocks from the journal again. */
  repair: async ({ file }) => new (await import('./repair/repair-job.ts')).RepairJob(file),
  /** Makes net changes of long spans of serials. */
  'net-changes': async ({ file }) =>
    new (await import('./net-changes/net-changes-job.ts')).NetChangesJob(file),
  /** Reads what the index of searches is made of. */
  search: async ({ file }) => new (await import('./search/search-job.ts')).SearchJob(file),
  /** Compares what a secondary serves with a zone. */
  served: async ({ file }) => new (await import('./served/served-job.ts')).ServedJob(file),
  /** Verifies the database. */
  verify: async ({ file }) => new (await import('./verify/verify-job.ts')).VerifyJob(file),
});
