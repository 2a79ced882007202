/**
 * The messages of a transfer (RFC 5936 2.2), and how they are streamed to a TCP client at the client's pace.
 *
 * Packed records are copied into messages of about 64 KiB. Every message repeats the question, so that the pointers of
 * packed records lead to the apex at byte 12 (RFC 5936 3.4). Whole runs of records are copied as they are; only the run
 * at the end of a message is walked for a border. Messages are made when they are asked for, so a slow reader costs one
 * message and not a zone.
 *
 * The snapshot they are read from must not stay open for long, and less long when its client stalls while others wait
 * for one (slow-transfers.ts). What is not sent by then goes into a file, the snapshot is released, and the client
 * takes the rest from there, as slowly as it likes; a client that takes nothing at all is cut by the connection's
 * idle time. Messages are signed when they are sent, however long they lay in the file: a signature has to be young.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../base/limits.ts';
import { packedEndOf } from '../dns/record.ts';
import type { MessageWriter } from '../dns/wire/encode.ts';
import { frameSigned, lengthPrefix } from '../dns/wire/framing.ts';
import { rcode } from '../dns/wire/header.ts';
import type { MessageSigner } from '../dns/wire/tsig-sign.ts';
import { nameserverLimits } from './limits.ts';
import { startReply } from './reply.ts';
import type { Request } from './request.ts';
import type { SlowTransfers, Spool } from './slow-transfers.ts';
import type { PackedRecords } from './transfer-source.ts';

/** Why a transfer can not be finished; the message is a clause for logs and the transfer list. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}

/** Fills the messages of an answer with runs of records; they are signed when they are sent. */
export function* fillMessages(
  request: Request,
  runs: Iterable<PackedRecords>,
  expire: number,
): Generator<Buffer> {
  let message = startMessage(request, expire);
  let isEmpty = true;
  for (const { count, records } of runs) {
    let from = 0;
    let left = count;
    while (from < records.length) {
      const room = message.freeBytes;
      const isWhole = records.length - from <= room;
      const part = isWhole ? { end: records.length, count: left } : fitting(records, from, room);
      if (part.count > 0) {
        message.packedRecords('answer', records.subarray(from, part.end), part.count);
        isEmpty = false;
        from = part.end;
        left -= part.count;
      } else if (isEmpty) {
        const bytes = packedEndOf(records, from) - from;
        throw new TransferError(`a record of ${bytes} bytes does not fit any message`);
      } else {
        yield message.finish();
        // The OPT record is in the first message.
        message = startMessage({ ...request, edns: undefined }, expire);
        isEmpty = true;
      }
    }
  }
  yield message.finish();
}

function startMessage(request: Request, expire: number): MessageWriter {
  const fields = { rcode: rcode.NOERROR, authoritative: true, expire };
  return startReply(request, fields, limits.messageBytes);
}

/** The records within `room` bytes from `from`, and where they end. */
function fitting(records: Buffer, from: number, room: number): { end: number; count: number } {
  let end = from;
  let count = 0;
  for (;;) {
    const next = packedEndOf(records, end);
    if (next - from > room) return { end, count };
    end = next;
    count++;
  }
}

/** Where the messages of one answer go. */
export interface ReplyStream {
  /** Whether a message of this answer was submitted already. */
  readonly started: boolean;
  /**
   * Submits one message behind its length prefix, maybe in parts. Resolves when the system has taken all of it;
   * rejects when the connection has ended.
   */
  send(...framed: Buffer[]): Promise<void>;
  /**
   * Waits until the connection may have one more transfer in progress; the function returned ends
   * this one's turn. Rejects when the connection has ended.
   */
  takeTurn(): Promise<() => void>;
  /** Transfers of the connection that have their turn. */
  readonly turnsTaken: number;
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

/** Sends all `messages` and tells their bytes, or throws: TransferError, or what the connection says. */
export async function streamTransfer(
  messages: Generator<Buffer>,
  signer: MessageSigner | undefined,
  stream: ReplyStream,
  snapshot: SnapshotUse,
): Promise<number> {
  let bytes = 0;
  // Messages are long, so one that need not be copied to be signed is sent as it is.
  const send = async (message: Buffer) => {
    const framed =
      signer === undefined ? [lengthPrefix(message), message] : [frameSigned(message, signer)];
    for (const part of framed) bytes += part.length;
    await stream.send(...framed);
  };
  let spooled: Promise<Spool | undefined> | undefined;
  const leaveSnapshot = async () => {
    spooled ??= spoolRest(messages, snapshot);
    // Without room the client is cut, which also ends a wait for it.
    await spooled.catch(() => stream.cut());
  };
  // When the connection was cut for want of room, the reason is that and not the cut.
  const failed = async (error: unknown) => {
    await spooled;
    throw error;
  };
  const timer = setTimeout(leaveSnapshot, snapshot.limitMs);
  try {
    for (let sent = 1; spooled === undefined; sent++) {
      const next = messages.next();
      if (next.done === true) return bytes;
      const sentOn = snapshot.slow.beginWait(leaveSnapshot);
      await send(next.value).catch(failed).finally(sentOn);
      // A client that takes all at once must not keep the others waiting.
      if (sent % nameserverLimits.messagesPerTurn === 0) await nextTurn();
    }
    const spool = await spooled;
    for (let message = spool?.next(); message !== undefined; message = spool?.next()) {
      await send(message);
    }
    return bytes;
  } finally {
    clearTimeout(timer);
    messages.return(undefined);
    spooled?.then((spool) => spool?.close()).catch(() => {});
  }
}

/** Undefined when nothing is left: the last message is being sent. */
async function spoolRest(
  messages: Generator<Buffer>,
  { slow, release }: SnapshotUse,
): Promise<Spool | undefined> {
  let spool: Spool | undefined;
  try {
    let count = 0;
    for (const message of messages) {
      spool ??= slow.openSpool();
      if (spool === undefined) throw new TransferError('cut: too many slow clients');
      spool.write(message);
      count++;
      if (count % nameserverLimits.messagesPerTurn === 0) await nextTurn();
    }
    return spool;
  } catch (error) {
    spool?.close();
    throw error;
  } finally {
    release();
  }
}
