/**
 * One TCP connection to a server that is asked for a zone (RFC 7766, RFC 1035 4.2.2): one request
 * out, messages in, each behind its length in two octets.
 *
 * Messages are pulled: nothing is read ahead of them but what the socket holds anyway, so that a
 * slow taker slows the server down. The time limit is on silence while a message is waited for,
 * not on the whole.
 */
import type { Socket } from 'node:net';
import type { Destination } from './policy.ts';
import { connectionTo } from './sockets.ts';
import { TransferError } from './transfer-error.ts';

const lengthOctets = 2;

export interface ConnectionOptions {
  readonly destination: Destination;
  /** Milliseconds without an octet after which the server counts as gone. */
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
  /** The length of the message whose octets have not all come. */
  #pendingOctets: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { destination, signal } = options;
    this.#socket = connectionTo(destination, true);
    this.#socket.on('readable', () => this.#wake());
    this.#socket.on('end', () => this.#end(new TransferError(closedEarly)));
    this.#socket.on('error', (error) => this.#end(this.#explain(error)));
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /** True when octets have come that no message took. */
  get hasMore(): boolean {
    return this.#socket.readableLength > 0;
  }

  send(message: Buffer): void {
    const framed = Buffer.allocUnsafe(lengthOctets + message.length);
    framed.writeUInt16BE(message.length, 0);
    framed.set(message, lengthOctets);
    this.#socket.write(framed);
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
    if (this.#pendingOctets === undefined) {
      const length = this.#read(lengthOctets);
      if (length === undefined) return undefined;
      this.#pendingOctets = length.readUInt16BE(0);
      if (this.#pendingOctets === 0) throw new TransferError('sent an empty message');
    }
    const message = this.#read(this.#pendingOctets);
    if (message !== undefined) this.#pendingOctets = undefined;
    return message;
  }

  /** So many octets, or undefined as long as fewer are there. */
  #read(octets: number): Buffer | undefined {
    const read = this.#socket.read(octets) as Buffer | null;
    if (read === null) return undefined;
    // At the end of the stream the socket gives what is left.
    if (read.length < octets) throw new TransferError(closedEarly);
    return read;
  }

  /** Waits until something has happened on the socket, for the time limit at most. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(this.#silence()), this.#options.timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
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

const closedEarly = 'closed the connection before the end of the zone';
