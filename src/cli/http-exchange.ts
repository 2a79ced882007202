/** One HTTP exchange: a payload out, a text back, each in pieces where it is long. */
import type { IncomingMessage, RequestOptions, request } from 'node:http';

export interface Exchanged {
  readonly status: number;
  readonly type: string;
  /** Empty when the body went to `take`. */
  readonly text: string;
}

/** Hears how many octets of the payload have left, and how many it has. */
export type Sent = (octets: number, total: number) => void;

export interface Watchers {
  readonly sent?: Sent | undefined;
  /** Takes the body of an answer that went well, piece by piece. */
  readonly take?: ((piece: Buffer) => void | Promise<void>) | undefined;
}

/** Octets handed to the socket at once, so that progress can be told. */
const pieceOctets = 256 * 1024;

export function exchange(
  open: typeof request,
  options: RequestOptions,
  payload: Buffer | undefined,
  { sent, take }: Watchers = {},
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const outgoing = open(options, (response) => {
      const isGood = response.statusCode !== undefined && response.statusCode < 300;
      receive(response, isGood ? take : undefined).then(resolve, reject);
    });
    outgoing.on('error', reject);
    if (payload === undefined || sent === undefined) {
      outgoing.end(payload);
      return;
    }
    let start = 0;
    const sendNext = () => {
      const piece = payload.subarray(start, start + pieceOctets);
      if (piece.length === 0) return void outgoing.end();
      outgoing.write(piece, (error) => {
        if (error) return;
        start += piece.length;
        sent(start, payload.length);
        sendNext();
      });
    };
    sendNext();
  });
}

async function receive(response: IncomingMessage, take: Watchers['take']): Promise<Exchanged> {
  const pieces: Buffer[] = [];
  for await (const piece of response) {
    if (take === undefined) pieces.push(piece as Buffer);
    else await take(piece as Buffer);
  }
  const type = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, type, text: Buffer.concat(pieces).toString('utf8') };
}
