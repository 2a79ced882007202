/** The thread that writes, with what the rest of the service does when it commits, fails or is lost. */
import { Periodic } from '../base/periodic.ts';
import { WriterClient, type WriterListener } from '../engine/client.ts';
import type { WriterData } from '../engine/messages.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Parts } from './compose.ts';
import type { Foundation } from './foundation.ts';

/** The exit status of a process that can not go on (sysexits.h: EX_SOFTWARE). */
const lostStatus = 70;
/** Milliseconds between two writes of the transfer log and of the uses of tokens. */
const flushMs = 1000;

/** Starts the thread. Whoever is answered by it reads what it committed. */
export async function startWriter(
  data: WriterData,
  { reader, storage, metrics }: Pick<Foundation, 'reader' | 'storage' | 'metrics'>,
  log: Log,
): Promise<WriterClient> {
  const engine = await WriterClient.start(data, {
    renew: () => reader.renew(),
    ...measuringBy(metrics),
    storageFailed: (fault) => void storage.failed(fault),
    refused: (error) => storage.recognise(error),
    lost(error) {
      const whatToDo = 'start it again: what was acknowledged is there';
      log.error('writer.lost', { error, whatToDo });
      process.exit(lostStatus);
    },
  });
  storage.onReturn(() => engine.writable());
  return engine;
}

function measuringBy(metrics: Metrics): Pick<WriterListener, 'measure' | 'signed'> {
  return {
    measure({ commands, events, steps, milliseconds }) {
      metrics.journalEvents.inc(events);
      metrics.zoneSerialBumps.inc(steps);
      metrics.journalCommitDuration.observe(milliseconds / 1000);
      metrics.journalBatchSize.observe(commands);
    },
    signed: (signatures) => metrics.signatures.inc(signatures),
  };
}

export interface Flushing {
  /** Ends when what was noted until then is written. */
  stop(): Promise<void>;
}

/** Has the transfer log and the uses of tokens written, now and then. */
export function startFlushing({
  transferLog,
  tokenUse,
}: Pick<Parts, 'transferLog' | 'tokenUse'>): Flushing {
  const flush = async () => void (await Promise.all([transferLog.flush(), tokenUse.flush()]));
  const flushing = new Periodic(flush, { everyMs: flushMs });
  flushing.start();
  return {
    async stop() {
      await flushing.stop();
      await flush();
    },
  };
}
