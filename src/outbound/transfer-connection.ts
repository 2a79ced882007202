/**
 * One TCP connection to a server that is asked for a zone (RFC 7766, RFC 1035 4.2.2): one request
 * out, messages in, each behind its length in two bytes.
 *
 * Messages are pulled: nothing is read ahead of them but what the socket holds anyway, so that a
 * slow taker slows the server down. The time limit is on silence while a message is waited for,
 * not on the whole. Who sends a byte now and then holds whoever takes the zone, so waits use up a credit, too: that of
 * four silences, to which every `minRate` bytes that come give a second back, and no more than it was.
 */
import type { Socket } from 'node:net';
import { monotonicMs } from '../base/clock.ts';
import { frameMessage } from '../dns/wire/framing.ts';
import type { Destination } from './policy.ts';
import { connectionTo } from './sockets.ts';

const lengthBytes = 2;

/** Bytes a second below which a server counts as gone, beside the four silences. */
const minRate = 1000;

/** The credit for waits, in full time limits. */
const silences = 4;

/**
 * Why a zone could not be fetched. The message is a clause without its subject, which is the server:
 * `refused the transfer (REFUSED)`.
 */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  /** The server answered with an RCODE other than NOERROR. */
  readonly isRefused: boolean;

  constructor(message: string, isRefused = false) {
    super(message);
    this.isRefused = isRefused;
  }
}

export interface ConnectionOptions {
  readonly destination: Destination;
  /** Milliseconds without a byte after which the server counts as gone. */
  readonly timeoutMs: number;
  /** Closes the connection when it aborts; whoever waits gets its reason. */
  readonly signal?: AbortSignal | undefined;
}

export class TransferConnection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #onAbort = () => this.#end(this.#options.signal?.reason);
  /** Ends the present wait. */
  #wake = () => {};
  #failure: unknown;
  /** Milliseconds that waits may still take, and the bytes that were counted into them. */
  #creditMs: number;
  #creditedBytes = 0;
  /** The length of the message whose bytes have not all come. */
  #pendingBytes: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#creditMs = silences * options.timeoutMs;
    const { destination, signal } = options;
    this.#socket = connectionTo(destination, true);
    this.#socket.on('readable', () => this.#wake());
    this.#socket.on('end', () => this.#end(new TransferError(closedEarly)));
    this.#socket.on('error', (error) => this.#end(this.#explain(error)));
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /** True when bytes have come that no message took. */
  get hasMore(): boolean {
    return this.#socket.readableLength > 0;
  }

  send(message: Buffer): void {
    this.#socket.write(frameMessage(message));
  }

  /** The next message; rejects with TransferError, or with what the signal aborted for. */
  async next(): Promise<Buffer> {
    for (;;) {
      const message = this.#take();
      if (message !== undefined) return message;
      if (this.#failure !== undefined) throw this.#failure;
      await this.#change();
    }
  }

  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#socket.destroy();
  }

  /** The next message when all of it is there. */
  #take(): Buffer | undefined {
    if (this.#options.signal?.aborted === true) return undefined;
    if (this.#pendingBytes === undefined) {
      const length = this.#read(lengthBytes);
      if (length === undefined) return undefined;
      this.#pendingBytes = length.readUInt16BE(0);
      if (this.#pendingBytes === 0) throw new TransferError('sent an empty message');
    }
    const message = this.#read(this.#pendingBytes);
    if (message !== undefined) this.#pendingBytes = undefined;
    return message;
  }

  /** The next `bytes` bytes, or undefined as long as fewer are there. */
  #read(bytes: number): Buffer | undefined {
    const read = this.#socket.read(bytes) as Buffer | null;
    if (read === null) return undefined;
    // At the end of the stream the socket gives what is left.
    if (read.length < bytes) throw new TransferError(closedEarly);
    return read;
  }

  /** Waits until something has happened on the socket, for the time limits at most. */
  #change(): Promise<void> {
    const { timeoutMs } = this.#options;
    const { bytesRead } = this.#socket;
    const earnedMs = ((bytesRead - this.#creditedBytes) * 1000) / minRate;
    this.#creditMs = Math.min(silences * timeoutMs, this.#creditMs + earnedMs);
    this.#creditedBytes = bytesRead;
    const isSlow = this.#creditMs < timeoutMs;
    const startedAt = monotonicMs();
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#end(isSlow ? slowness() : this.#silence()),
        Math.min(timeoutMs, Math.max(0, this.#creditMs)),
      );
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        this.#creditMs -= monotonicMs() - startedAt;
        resolve();
      };
    });
  }

  #end(failure: unknown): void {
    this.#failure ??= failure;
    this.#socket.destroy();
    this.#wake();
  }

  #silence(): TransferError {
    const limit = `${this.#options.timeoutMs / 1000} s`;
    if (this.#socket.connecting) {
      return new TransferError(`took no connection within ${limit}`);
    }
    return new TransferError(`sent nothing for ${limit}`);
  }

  #explain(error: NodeJS.ErrnoException): TransferError {
    if (error.code === 'ECONNREFUSED') return new TransferError('refused the connection');
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      return new TransferError(closedEarly);
    return new TransferError(`can not be reached: ${error.message}`);
  }
}

function slowness(): TransferError {
  return new TransferError(`sent less than ${minRate} bytes a second`);
}

const closedEarly = 'closed the connection before the end of the zone';
