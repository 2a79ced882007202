/** The thread that writes, with what the rest of the service does when it commits, fails or is lost. */
import type { Clock } from '../base/clock.ts';
import { Periodic } from '../base/periodic.ts';
import { RefusedLogins } from '../http/refused-logins.ts';
import { WriterClient } from '../writer/client.ts';
import type { Writer } from '../writer/writer.ts';
import type { WriterData } from '../writer/messages.ts';
import type { Connection } from '../journal/database.ts';
import { SessionUse, TokenUse, TransferLog } from '../projection/activity-log.ts';
import type { Log } from '../telemetry/log.ts';
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
  const writer = await WriterClient.start(data, {
    renew: () => reader.renew(),
    measure({ commands, events, serialChanges, milliseconds }) {
      metrics.journalEvents.inc(events);
      metrics.zoneSerialBumps.inc(serialChanges);
      metrics.journalCommitDuration.observe(milliseconds / 1000);
      metrics.journalBatchSize.observe(commands);
    },
    signed: (signatures) => metrics.signatures.inc(signatures),
    storageFailed: (problem) => void storage.failed(problem),
    refused: (error) => storage.recognise(error),
    stall: () => storage.stall,
    lost(error) {
      const whatToDo = 'start it again: what was acknowledged is there';
      log.error('writer.lost', { error, whatToDo });
      process.exit(lostStatus);
    },
  });
  storage.onReturn(() => writer.writable());
  return writer;
}

/** The transfer log, the uses of tokens and refused logins: buffered in memory, and written periodically. */
export class Notes extends Periodic {
  readonly transferLog: TransferLog;
  readonly tokenUse: TokenUse;
  readonly sessionUse: SessionUse;
  readonly refusedLogins: RefusedLogins;

  constructor(connection: Connection, writer: Pick<Writer, 'operate' | 'submit'>, clock: Clock) {
    super(() => this.#flush(), { everyMs: flushMs });
    this.transferLog = new TransferLog(
      (entries) => writer.operate({ kind: 'log-transfers', entries }),
      () => void this.wake(),
    );
    this.tokenUse = new TokenUse(connection, (uses) =>
      writer.operate({ kind: 'log-token-uses', uses }),
    );
    this.sessionUse = new SessionUse((uses) => writer.operate({ kind: 'log-session-uses', uses }));
    this.refusedLogins = new RefusedLogins(clock, writer);
  }

  /** Ends when what was buffered until then is written. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const { transferLog, tokenUse, sessionUse, refusedLogins } = this;
    const all = [transferLog, tokenUse, sessionUse, refusedLogins];
    await Promise.all(all.map((each) => each.flush()));
  }
}
