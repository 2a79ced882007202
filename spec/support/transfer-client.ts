/**
 * A client of transfers and updates that shares no code with the service: dnspython, in one process that
 * answers until it is closed (transfer_client.py).
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { peer } from './peers.ts';
import type { PeerKey } from './secondaries.ts';

const program = fileURLToPath(new URL('transfer_client.py', import.meta.url));

/** A row of GET /records, with its RDATA for types that dnspython does not read. */
export interface ExpectedRow {
  readonly name: string;
  readonly type: number;
  readonly ttl: number;
  readonly value: string | string[];
  readonly priority: number | null;
  readonly hex: string;
}

export interface CheckRequest {
  /** The zone as GET /zones/{name} answers it. */
  readonly zone: object;
  readonly rows: readonly ExpectedRow[];
  readonly primary: number;
  readonly secondaries: readonly { kind: string; port: number }[];
  /** Whose earlier versions IXFR starts from. */
  readonly history: string;
}

/** One change of an UPDATE: owner (text, relative), TTL, type and RDATA; without RDATA all of the type. */
export type UpdateChange = readonly [
  action: 'add' | 'delete',
  owner: string,
  ttl: number,
  type: number | null,
  hex: string | null,
];

export class TransferClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: { result?: unknown; error?: string }) => void>();
  #lastId = 0;
  #errors = '';

  constructor() {
    const child = spawn(peer('dnspython') ?? 'python3', [program], { stdio: 'pipe' });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line);
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    child.on('exit', () => {
      for (const answer of this.#waiting.values()) answer({ error: `it ended: ${this.#errors}` });
    });
  }

  /** What differs between the API, AXFR, IXFR and the secondaries; a sentence each. */
  check(request: CheckRequest): Promise<string[]> {
    return this.#ask('check', request);
  }

  /** Sends an UPDATE over TCP; returns the RCODE. */
  update(request: {
    readonly port: number;
    readonly zone: string;
    readonly key: PeerKey | null;
    readonly changes: readonly UpdateChange[];
  }): Promise<string> {
    return this.#ask('update', request);
  }

  /** Drops the earlier versions of a zone. */
  forget(history: string): Promise<number> {
    return this.#ask('forget', { history });
  }

  #ask<T>(action: string, request: object): Promise<T> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result as T);
        else reject(new Error(`${action}: ${error}`));
      });
      this.#child.stdin.write(`${JSON.stringify({ id, action, ...request })}\n`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await ended;
  }
}
