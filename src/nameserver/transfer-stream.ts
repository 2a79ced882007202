/**
 * Streams the messages of a transfer to a TCP client at the client's pace, up to a time limit.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nameserverLimits } from './limits.ts';
import { fillMessages, TransferError, type TransferFrame } from './transfer-messages.ts';
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
  /** Ends the connection at once. */
  cut(): void;
}

/** Sends everything, or throws: TransferError, or what the connection says. */
export async function streamTransfer(
  frame: TransferFrame,
  runs: Iterable<PackedRecords>,
  stream: ReplyStream,
  limitMs: number,
): Promise<void> {
  let late = false;
  // Cutting the connection also ends a wait for a client that takes nothing at all.
  const limit = setTimeout(() => {
    late = true;
    stream.cut();
  }, limitMs);
  try {
    let messages = 0;
    for (const message of fillMessages(frame, runs)) {
      await stream.send(message);
      messages++;
      // A client that takes all at once must not keep the others waiting.
      if (messages % nameserverLimits.messagesPerTurn === 0) await nextTurn();
    }
  } catch (error) {
    throw late ? new TransferError(`cut after ${limitMs / 1000} s`) : error;
  } finally {
    clearTimeout(limit);
  }
}
