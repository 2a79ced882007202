/** HTTP by the byte: heads without bodies, bodies that stop half way, and what comes back. */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { patienceMs } from './patience.ts';
import type { RunningService } from './service.ts';

export interface RawAnswer {
  readonly status: number;
  /** Lines of the head, in lower case. */
  readonly head: string;
  readonly text: string;
}

/** One connection on which a test says every byte itself. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection has ended, however it did. */
  readonly closed: Promise<void>;
  #received = '';
  #ended = false;
  #wake: () => void = () => {};

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.#ended = true;
        this.#wake();
        resolve();
      });
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  write(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** The next answer; undefined when the connection ended before one was complete. */
  async answer(): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = this.#takeAnswer();
      if (answer !== undefined || this.#ended) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #takeAnswer(): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.#received.slice(0, end).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    const whole = end + 4 + length;
    if (this.#received.length < whole) return undefined;
    const text = this.#received.slice(end + 4, whole);
    this.#received = this.#received.slice(whole);
    return { status: Number(head.slice(9, 12)), head, text };
  }

  end(): void {
    this.socket.destroy();
  }
}

export interface HeadParts {
  readonly token?: string | undefined;
  /** Bytes that the body is said to have; `chunked` for none that are known. */
  readonly length?: number | 'chunked';
  readonly more?: readonly string[];
}

/** The head of a request with a JSON body. */
export function headOf(
  method: string,
  path: string,
  { token, length, more = [] }: HeadParts,
): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...more];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  if (length !== undefined) {
    const said = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    lines.push('Content-Type: application/json', said);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * A call by the socket in the data folder, which has full rights; it must succeed. Its connection is its own: a service
 * closes one that idles, maybe in the moment in which it would be used again.
 */
export function callLocally(
  { dataDir }: RunningService,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
): Promise<any> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
  const socketPath = join(dataDir, 'zonebook.sock');
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, agent: false, method, path, headers },
      async (response) => {
        try {
          const answer = await text(response);
          const isJson = response.headers['content-type']?.includes('json') ?? false;
          if ((response.statusCode ?? 0) < 300) resolve(isJson ? JSON.parse(answer) : answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        } catch (error) {
          reject(error);
        }
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

/** The secret of a token of a new role with these grants; of the role `admin` where none are given. */
export async function tokenOf(
  service: RunningService,
  name: string,
  grants?: readonly object[],
): Promise<string> {
  if (grants !== undefined) {
    await callLocally(service, 'POST', '/roles', { name });
    for (const grant of grants) await callLocally(service, 'POST', `/roles/${name}/grants`, grant);
  }
  const role_name = grants === undefined ? 'admin' : name;
  return (await callLocally(service, 'POST', '/tokens', { name, role_name })).secret;
}

/** Waits until searches find all that there is and that was: the index is made in the background. */
export async function untilSearchable(service: RunningService): Promise<void> {
  const search = () => callLocally(service, 'GET', '/search?q=everything');
  await vi.waitFor(async () => expect((await search()).deleted_from).toBe(1), patienceMs);
}
