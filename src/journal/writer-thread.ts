/**
 * A thread that commits what another one has decided: a batch is one transaction, on disk when it is told
 * of. A batch that fails leaves nothing behind.
 */
import { workerData } from 'node:worker_threads';
import { genesisHash } from './event-row.ts';
import { EventWriter, eventOfValues } from './event-writer.ts';
import { type Head, headQuery } from './head.ts';
import { openSqlite, type Statement } from './sqlite.ts';
import { walProgress } from './wal-progress.ts';
import { eventNote, readWriteLog } from './write-log.ts';
import type { WriteFailure, WriteJob, WriteReport, WriterData } from './writer-protocol.ts';
import { setUpWriter } from './writer-settings.ts';
import { Writes } from './writes.ts';

const { file, done, port } = workerData as WriterData;
const connection = openSqlite(file, { timeout: 5000, fileMustExist: true });
// Not its own: as long as the other thread reads one snapshot after the other, no checkpoint comes to the end.
setUpWriter(connection, 'external');
const begin = connection.prepare('BEGIN IMMEDIATE');
const end = connection.prepare('COMMIT');
const head = connection.prepare(headQuery);
const events = new EventWriter(new Writes(connection));
const texts: string[] = [];
const statements: (Statement | undefined)[] = [];

function statementOf(number: number): Statement {
  statements[number] ??= connection.prepare(texts[number]!);
  return statements[number];
}

function commit({ memory, length }: WriteJob): WriteFailure | undefined {
  let outcome: WriteFailure['outcome'] = 'undone';
  try {
    begin.run();
    let hash = (head.get() as Head | undefined)?.hash ?? genesisHash;
    readWriteLog(Buffer.from(memory, 0, length), (number, values) => {
      if (number === eventNote) hash = events.add(eventOfValues(values), hash);
      else statementOf(number).run(values);
    });
    events.flush();
    outcome = 'failed';
    end.run();
    return undefined;
  } catch (error) {
    events.forget();
    // Out of space or memory ends a transaction by itself.
    if (connection.inTransaction) connection.exec('ROLLBACK');
    else outcome = 'failed';
    const { code, message } = error as { code?: string; message: string };
    return { code, message, outcome };
  }
}

process.on('exit', () => {
  Atomics.store(done, 1, 1);
  Atomics.notify(done, 0);
});

/** Why the last batch failed, until one comes that does not follow it. */
let failed: WriteFailure | undefined;

port.on('message', (job: WriteJob | 'stop') => {
  if (job === 'stop') {
    connection.close();
    port.close();
    return;
  }
  texts.push(...job.texts);
  const isLost = job.follows && failed !== undefined;
  const failure = isLost ? failed : commit(job);
  failed = failure;
  const report: WriteReport = {
    number: job.number,
    memory: job.memory,
    walPages: walProgress(connection).log,
    ...(failure === undefined ? {} : { failure }),
  };
  port.postMessage(report, [job.memory]);
  Atomics.store(done, 0, job.number);
  Atomics.notify(done, 0);
});
port.postMessage('ready');
