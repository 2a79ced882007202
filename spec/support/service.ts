/**
 * The service as its users run it: a process of its own on free ports and a temporary folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from './patience.ts';
import { freePort } from './ports.ts';
import { endProcess, hasEnded } from './processes.ts';
import { program } from './program.ts';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export class RunningService {
  readonly dataDir: string;
  readonly apiPort: number;
  readonly dnsPort: number;
  readonly #env: Record<string, string>;
  readonly #words: readonly string[];
  readonly #entry: readonly string[];
  #child: ChildProcess | undefined;
  /** Resolves when the process has ended and all of its output is there. */
  #closed: Promise<unknown> = Promise.resolve();
  #output = '';

  /** `words` are further arguments of `serve`; `entry` goes before the command. */
  constructor(
    dataDir: string,
    apiPort: number,
    dnsPort: number,
    env: Record<string, string>,
    words: readonly string[] = [],
    entry: readonly string[] = [],
  ) {
    this.dataDir = dataDir;
    this.#words = words;
    this.#entry = entry;
    this.apiPort = apiPort;
    this.dnsPort = dnsPort;
    this.#env = env;
  }

  /** What the process printed so far. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** False also of one that has ended by itself. */
  get isRunning(): boolean {
    return this.#child !== undefined && !hasEnded(this.#child);
  }

  /**
   * Starts the process, with further options of `serve`, and waits until it answers, and has said so when it says
   * such things.
   */
  async start(...options: string[]): Promise<void> {
    const from = this.#output.length;
    const isQuiet = /^(warn|error)$/.test(this.#env.ZONEBOOK_LOGGING_LEVEL ?? '');
    const child = this.#spawn(options);
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      if (hasEnded(child)) {
        await this.#closed;
        break;
      }
      const healthy = await this.call('GET', '/health').catch(() => undefined);
      const isSaid = isQuiet || this.#output.includes('service.started', from);
      if (healthy?.status === 200 && isSaid) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the service did not start:\n${this.#output}`);
  }

  /** Starts the process and waits until it has refused to; returns its exit code and what it said. */
  async refusal(...options: string[]): Promise<{ code: number | null; said: string }> {
    this.#output = '';
    const child = this.#spawn(options);
    await this.#closed;
    this.#child = undefined;
    return { code: child.exitCode, said: this.#output };
  }

  #spawn(options: readonly string[]): ChildProcess {
    const args = [...program.args, 'serve', '--data-dir', this.dataDir, ...this.#words, ...options];
    const [file, ...words] = [...this.#entry, program.file, ...args];
    const child = spawn(file!, words, {
      cwd: this.#entry.length === 0 ? this.dataDir : '/',
      env: {
        PATH: process.env.PATH ?? '',
        ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'false',
        ZONEBOOK_API_LISTEN_PORT: String(this.apiPort),
        ZONEBOOK_DNS_LISTEN_PORT: String(this.dnsPort),
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    const collect = (chunk: Buffer) => {
      this.#output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    return child;
  }

  /** One request of the HTTP interface. */
  call(method: string, path: string, body?: unknown): Promise<Reply> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const open = this.#env.ZONEBOOK_API_TLS_CERT_FILE === undefined ? request : tlsRequest;
    return new Promise((resolve, reject) => {
      const outgoing = open(
        {
          host: '127.0.0.1',
          // Whom to trust is not what these calls are for.
          rejectUnauthorized: false,
          port: this.apiPort,
          method,
          path,
          // Node gives the length of a body of its own accord, but not of one of DELETE.
          headers:
            payload === undefined
              ? {}
              : {
                  'content-type': 'application/json',
                  'content-length': Buffer.byteLength(payload),
                },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type']?.includes('json') ?? false;
            resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text });
          });
        },
      );
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The service closed an idle connection while this process was busy elsewhere.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') {
          resolve(this.call(method, path, body));
        } else {
          reject(error);
        }
      });
      outgoing.end(payload);
    });
  }

  /** A call that must succeed; returns its body. */
  async must(method: string, path: string, body?: unknown): Promise<Reply['body']> {
    const reply = await this.call(method, path, body);
    if (reply.status >= 300) {
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply.body;
  }

  /** Ends the process with a signal and waits for its end; returns the exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    this.#child = undefined;
    await endProcess(child, signal);
    await this.#closed;
    return child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

export interface StartOptions {
  /** A new one when left out. */
  readonly dataDir?: string;
  readonly words?: readonly string[];
  /** What goes before the command. */
  readonly entry?: readonly string[];
}

/** Starts a service of its own; `env` holds further ZONEBOOK_ variables. */
export async function startService(
  env: Record<string, string> = {},
  { dataDir = mkdtempSync(join(tmpdir(), 'zonebook-')), words = [], entry = [] }: StartOptions = {},
): Promise<RunningService> {
  const ports = [await freePort(), await freePort()] as const;
  const service = new RunningService(dataDir, ...ports, env, words, entry);
  try {
    await service.start();
  } catch (error) {
    // Who waits in vain has nothing to end it by.
    await service.end('SIGKILL');
    throw error;
  }
  return service;
}
