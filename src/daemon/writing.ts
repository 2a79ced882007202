/** The thread that writes, with what the rest of the service does when it commits, fails or is gone. */
import { Periodic } from '../base/periodic.ts';
import { Problem } from '../base/problem.ts';
import { isZoneEvent } from '../domain/event.ts';
import { WriterClient, type WriterListener } from '../engine/client.ts';
import type { WriterData } from '../engine/messages.ts';
import type { Storage } from '../journal/storage.ts';
import type { TurnReader } from '../journal/turn-reader.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { RightsReader } from '../query/rights-reader.ts';
import { TokenUse, TransferLog } from '../projection/activity-log.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The exit status of a process that can not go on (sysexits.h: EX_SOFTWARE). */
const lostStatus = 70;
/** Milliseconds between two writes of the transfer log and of the uses of tokens. */
const flushMs = 1000;

export interface WritingServices {
  readonly reader: TurnReader;
  readonly rights: RightsReader;
  readonly keystore: Keystore;
  readonly storage: Storage;
  readonly metrics: Metrics;
  readonly log: Log;
}

export interface Writing {
  readonly engine: WriterClient;
  readonly transferLog: TransferLog;
  readonly tokenUse: TokenUse;
  /** Ends when everything that was submitted is on disk. */
  stop(): Promise<void>;
}

export async function startWriting(data: WriterData, services: WritingServices): Promise<Writing> {
  const { reader, rights, keystore, storage, log } = services;
  const engine = await WriterClient.start(data, {
    renew: () => reader.renew(),
    ...measuringBy(services.metrics),
    storageFailed: (fault) => void storage.failed(fault),
    refused: (error) => storage.recognise(error),
    stall: () => storage.stall,
    lost(error) {
      const whatToDo = 'start it again: what was acknowledged is there';
      log.error('writer.lost', { error, whatToDo });
      process.exit(lostStatus);
    },
  });
  storage.onReturn(() => engine.writable());
  engine.onEvents((events) => {
    rights.heard(events);
    if (events.some(({ event }) => !isZoneEvent(event))) keystore.forget();
  });
  const transferLog = new TransferLog(
    (entries) => engine.operate({ kind: 'log-transfers', entries }),
    () => void flushing.wake(),
  );
  const tokenUse = new TokenUse(reader.connection, (uses) =>
    engine.operate({ kind: 'log-token-uses', uses }),
  );
  const flush = () => Promise.all([transferLog.flush(), tokenUse.flush()]);
  const flushing = new Periodic(async () => void (await flush()), {
    everyMs: flushMs,
    failed(error) {
      throw error;
    },
  });
  flushing.start();
  try {
    await engine.operate({ kind: 'forget-token-uses' });
  } catch (error) {
    // A disk that can not be written keeps nobody from starting.
    if (!(error instanceof Problem)) {
      await flushing.stop();
      await engine.close();
      throw error;
    }
  }
  return {
    engine,
    transferLog,
    tokenUse,
    async stop() {
      await flushing.stop();
      await flush();
      await engine.close();
    },
  };
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
