/** Clients that load a service all at once and go on until they are told to end; each counts what it was answered. */
import { createSocket, type Socket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { wireName } from './dns-messages.ts';
import { headOf, RawConnection } from './raw-http.ts';

const soaType = 6;
const updateOpcode = 5 << 11;

/** Answers by status, or by what else became of a request. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(what: string | number): void {
    this.counts.set(String(what), (this.counts.get(String(what)) ?? 0) + 1);
  }

  of(what: string | number): number {
    return this.counts.get(String(what)) ?? 0;
  }

  get text(): string {
    return [...this.counts].map(([what, count]) => `${what}: ${count}`).join(', ');
  }
}

export interface Crowd {
  readonly zone: string;
  readonly apiPort: number;
  readonly dnsPort: number;
  /** Milliseconds that a kept-alive client rests between two requests. */
  readonly restMs: number;
  /** True when everybody has to end. */
  isOver(): boolean;
}

/** One kept-alive client: reads, and makes a record now and then. It comes again when it is closed. */
export async function keepAlive(crowd: Crowd, client: number, token: string, tally: Tally) {
  const get = headOf('GET', `/records?zone_name=${crowd.zone}&limit=5`, { token });
  for (let count = 0; !crowd.isOver(); ) {
    const connection = new RawConnection(crowd.apiPort);
    while (!crowd.isOver()) {
      count++;
      const record = {
        zone_name: crowd.zone,
        name: `c${client}-${count}`,
        type: 'A',
        value: '192.0.2.1',
      };
      const body = JSON.stringify(record);
      const post = headOf('POST', '/records', { token, length: body.length }) + body;
      connection.write(count % 5 === 0 ? post : get);
      const answer = await connection.answer();
      tally.add(answer?.status ?? 'closed');
      if (answer === undefined || answer.head.includes('connection: close')) break;
      if (crowd.restMs > 0) await new Promise((resolve) => setTimeout(resolve, crowd.restMs));
    }
    connection.end();
  }
}

/** Dynamic updates by UDP, so many unanswered at a time; one without an answer is sent again after a while. */
export class UpdateSenders {
  readonly #crowd: Crowd;
  readonly #tally: Tally;
  readonly #socket: Socket = createSocket('udp4');
  readonly #sentAt = new Map<number, number>();
  #count = 0;
  #again: NodeJS.Timeout | undefined;

  constructor(crowd: Crowd, tally: Tally) {
    this.#crowd = crowd;
    this.#tally = tally;
  }

  start(outstanding: number): void {
    this.#socket.on('message', (answer) => {
      const id = answer.readUInt16BE(0);
      if (!this.#sentAt.delete(id)) return;
      this.#tally.add(`rcode ${answer[3]! & 15}`);
      if (!this.#crowd.isOver()) this.#send(id);
    });
    for (let id = 1; id <= outstanding; id++) this.#send(id);
    this.#again = setInterval(() => {
      for (const [id, at] of this.#sentAt) {
        if (Date.now() - at < 5000) continue;
        this.#tally.add('sent again');
        this.#send(id);
      }
    }, 1000);
  }

  end(): void {
    clearInterval(this.#again);
    this.#socket.close();
  }

  #send(id: number): void {
    this.#sentAt.set(id, Date.now());
    const count = this.#count++;
    const rdata = Buffer.from([192, 0, 2, count % 250]);
    const message = Buffer.concat([
      shorts(id, updateOpcode, 1, 0, 1, 0),
      wireName(this.#crowd.zone),
      shorts(soaType, 1),
      wireName(`u${id}-${count % 50}.${this.#crowd.zone}`),
      shorts(1, 1, 0, 300, rdata.length),
      rdata,
    ]);
    this.#socket.send(message, this.#crowd.dnsPort, '127.0.0.1');
  }
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

/** Sends large bodies one after the other, and reads what is said of them. */
export async function sendLarge(
  crowd: Crowd,
  path: string,
  token: string,
  body: Buffer,
  tally: Tally,
): Promise<void> {
  const piece = 256 * 1024;
  while (!crowd.isOver()) {
    const connection = new RawConnection(crowd.apiPort);
    let answered = false;
    const answer = connection.answer().then((answer) => {
      answered = true;
      return answer;
    });
    connection.write(headOf('POST', path, { token, length: body.length }));
    for (let sent = 0; sent < body.length && !answered && !connection.ended; sent += piece) {
      if (crowd.isOver()) break;
      const isTaken = connection.socket.write(body.subarray(sent, sent + piece));
      if (!isTaken) await Promise.race([drained(connection), answer]);
    }
    const status = await Promise.race([
      answer.then((each) => each?.status ?? 'closed'),
      over(crowd),
    ]);
    if (status !== undefined) tally.add(status);
    connection.end();
    // Who is refused at once does not come again at once.
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Resolves when everybody has to end. */
async function over(crowd: Crowd): Promise<undefined> {
  while (!crowd.isOver()) await pause();
  return undefined;
}

function drained({ socket, closed }: RawConnection): Promise<void> {
  return Promise.race([new Promise<void>((resolve) => socket.once('drain', resolve)), closed]);
}

/** A connection that says a byte each second: of a head, or of a body when there is a token. */
export async function dawdle(crowd: Crowd, token: string | undefined, tally: Tally): Promise<void> {
  while (!crowd.isOver()) {
    const connection = new RawConnection(crowd.apiPort);
    const head = headOf('POST', '/records', { token, length: 60_000 });
    connection.write(token === undefined ? 'GET /zones HTTP/1.1\r\nX: ' : head);
    const dripping = setInterval(() => connection.write(' '), 1000);
    while (!crowd.isOver() && !connection.ended) {
      const answer = await Promise.race([connection.answer(), pause()]);
      if (answer !== 'paused' && answer !== undefined) tally.add(answer.status);
    }
    clearInterval(dripping);
    tally.add('ended');
    connection.end();
  }
}

function pause(): Promise<'paused'> {
  return new Promise((resolve) => setTimeout(() => resolve('paused'), 1000));
}

/** Mebibytes of memory that a process holds at this moment. */
export function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
