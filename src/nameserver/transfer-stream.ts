/**
 * Streams the messages of a transfer to a TCP client at the client's pace.
 *
 * The snapshot it reads from must not stay open for long, and less long when its client stalls while
 * others wait for one (slow-transfers.ts). What is not sent by then goes into a file, the snapshot is released, and the client takes the rest from there, as slowly
 * as it likes; a client that takes nothing at all is cut by the connection's idle time. Messages are
 * signed when they are sent, however long they lay in the file: a signature has to be young.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nameserverLimits } from './limits.ts';
import type { SlowTransfers, Spool } from './slow-transfers.ts';
import {
  fillMessages,
  signFramed,
  TransferError,
  type TransferFrame,
} from './transfer-messages.ts';
import type { PackedRecords } from './transfer-source.ts';

/** Where the messages of one answer go. */
export interface ReplyStream {
  /** Whether a message of this answer was handed over already. */
  readonly started: boolean;
  /**
   * Hands over one message behind its length prefix. Resolves when the socket takes more; rejects
   * when the connection is gone.
   */
  send(framed: Buffer): Promise<void>;
  /**
   * Waits until the connection may have one more transfer in progress; the function returned ends
   * this one's turn. Rejects when the connection is gone.
   */
  takeTurn(): Promise<() => void>;
  /** Ends the connection at once. */
  cut(): void;
}

/** The snapshot that a transfer reads from. */
export interface SnapshotUse {
  /** Milliseconds it may stay open. */
  readonly limitMs: number;
  readonly slow: Pick<SlowTransfers, 'openSpool' | 'beginWait'>;
  /** Closes it; nothing is read from it afterwards. */
  release(): void;
}

/** Sends everything, or throws: TransferError, or what the connection says. */
export async function streamTransfer(
  frame: TransferFrame,
  runs: Iterable<PackedRecords>,
  stream: ReplyStream,
  snapshot: SnapshotUse,
): Promise<void> {
  const messages = fillMessages(frame, runs);
  const { signer } = frame;
  const send = (framed: Buffer) =>
    stream.send(signer === undefined ? framed : signFramed(framed, signer));
  let spooled: Promise<Spool> | undefined;
  const leaveSnapshot = async () => {
    spooled ??= spoolRest(messages, snapshot);
    // Without room the client is cut, which also ends a wait for it.
    await spooled.catch(() => stream.cut());
  };
  const timer = setTimeout(leaveSnapshot, snapshot.limitMs);
  try {
    for (let sent = 1; spooled === undefined; sent++) {
      const next = messages.next();
      if (next.done === true) return;
      const sentOn = snapshot.slow.beginWait(leaveSnapshot);
      await sendOr(
        () => send(next.value),
        () => spooled,
      ).finally(sentOn);
      // A client that takes all at once must not keep the others waiting.
      if (sent % nameserverLimits.messagesPerTurn === 0) await nextTurn();
    }
    const spool = await spooled;
    for (let message = spool.next(); message !== undefined; message = spool.next()) {
      await send(message);
    }
  } finally {
    clearTimeout(timer);
    messages.return(undefined);
    spooled?.then((spool) => spool.close()).catch(() => {});
  }
}

/** Sends; when the connection was cut for want of room, the reason is that and not the cut. */
async function sendOr(
  send: () => Promise<void>,
  spooled: () => Promise<Spool> | undefined,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    await spooled();
    throw error;
  }
}

async function spoolRest(messages: Generator<Buffer>, snapshot: SnapshotUse): Promise<Spool> {
  const spool = snapshot.slow.openSpool();
  if (spool === undefined) {
    throw new TransferError(`cut after ${snapshot.limitMs / 1000} s: too many slow clients`);
  }
  try {
    let written = 0;
    for (const message of messages) {
      spool.write(message);
      written++;
      if (written % nameserverLimits.messagesPerTurn === 0) await nextTurn();
    }
    return spool;
  } catch (error) {
    spool.close();
    throw error;
  } finally {
    snapshot.release();
  }
}
