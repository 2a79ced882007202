/** The thread that writes, with what the rest of the service does when it commits, fails or is gone. */
import { WriterClient } from '../engine/client.ts';
import type { WriterData } from '../engine/messages.ts';
import type { Storage } from '../journal/storage.ts';
import type { TurnReader } from '../journal/turn-reader.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The exit status of a process that can not go on (sysexits.h: EX_SOFTWARE). */
const lostStatus = 70;

export interface WritingServices {
  readonly reader: TurnReader;
  readonly storage: Storage;
  readonly metrics: Metrics;
  readonly log: Log;
}

export async function startWriting(
  data: WriterData,
  { reader, storage, metrics, log }: WritingServices,
): Promise<WriterClient> {
  const writer = await WriterClient.start(data, {
    renew: () => reader.renew(),
    measure({ commands, events, steps, milliseconds }) {
      metrics.journalEvents.inc(events);
      metrics.zoneSerialBumps.inc(steps);
      metrics.journalCommitDuration.observe(milliseconds / 1000);
      metrics.journalBatchSize.observe(commands);
    },
    signed: (signatures) => metrics.signatures.inc(signatures),
    storageFailed: (fault) => void storage.failed(fault),
    refused: (error) => storage.recognise(error),
    lost(error) {
      const whatToDo = 'start it again: what was acknowledged is there';
      log.error('writer.lost', { error, whatToDo });
      process.exit(lostStatus);
    },
  });
  storage.onReturn(() => writer.writable());
  return writer;
}
