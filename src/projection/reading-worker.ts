/** The thread of long reads (long-reads.ts): one read after the other, each of one committed state. */
import { parentPort, workerData } from 'node:worker_threads';
import { assert, Problem } from '../base/problem.ts';
import { openReader } from '../journal/database.ts';
import type { FromReader, LongReads, ToReader } from './long-reads.ts';
import { RecordQueries } from './record-queries.ts';

const connection = openReader(workerData as string);
const records = new RecordQueries(connection);

const reads: LongReads = {
  listRecords: (filter, sort, page) => records.list(filter, sort, page),
};

const port = parentPort;
assert(port !== null, 'this file is the code of a thread');

port.on('message', ({ job, name, args }: ToReader) => {
  try {
    const result = connection.transaction(() => reads[name](...args))();
    port.postMessage({ job, result } satisfies FromReader);
  } catch (error) {
    const code = error instanceof Problem ? error.code : undefined;
    const message = error instanceof Error ? error.message : String(error);
    port.postMessage({ job, code, message } satisfies FromReader);
  }
});
