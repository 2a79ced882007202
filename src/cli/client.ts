/**
 * The client of the HTTP interface: over the local socket of a service on this host, or over the
 * network with a token.
 *
 * Every refusal becomes a failure with its exit code here, once. A service that can not be reached
 * is told apart from one that refuses.
 */
import { Agent, request, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { CliFailure, type ExitCode, exitCode, hintFor, usageFailure } from './failure.ts';
import {
  exchange,
  type Exchanged,
  jsonRequest,
  type Sent,
  type Watchers,
} from '../base/http-exchange.ts';
import { addressOf, notReached, type Target } from './target.ts';

/** What requests over the local socket call their host. */
const localUrl = new URL('http://localhost');

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Reply {
  readonly status: number;
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown;
  /** The time as the service says it; empty when it does not. */
  readonly date: string;
}

export class Client {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(target: Target) {
    this.#target = target;
    // One connection, kept: lists of many pages would open one for each page otherwise.
    const options = { keepAlive: true };
    if (target.kind === 'url' && target.url.protocol === 'https:') {
      const { authorities } = target;
      const trust = authorities === undefined ? {} : { ca: [...authorities] };
      this.#agent = new TlsAgent({ ...options, ...trust });
    } else {
      this.#agent = new Agent(options);
    }
  }

  /** The service as people call it: the path of its socket or its URL. */
  get address(): string {
    return addressOf(this.#target);
  }

  /** Whether what is seen depends on the role of a token. */
  get hasToken(): boolean {
    return this.#target.kind === 'url' && this.#target.token !== undefined;
  }

  get<Answer>(path: string, query: QueryValues = {}): Promise<Answer> {
    return this.ask('GET', path, query);
  }

  post<Answer>(path: string, body?: object, query: QueryValues = {}): Promise<Answer> {
    return this.ask('POST', path, query, body);
  }

  /** The body of an answer that went well; a failure with its exit code for any other. */
  async ask<Answer>(
    method: string,
    path: string,
    query: QueryValues,
    body?: object,
  ): Promise<Answer> {
    return this.#accept(await this.send(method, path, query, body));
  }

  /** One exchange, whatever its status. */
  async send(
    method: string,
    path: string,
    query: QueryValues,
    body?: object,
    watchers: Pick<Watchers, 'sent' | 'withinMs'> = {},
  ): Promise<Reply> {
    return this.#parse(await this.#exchange(method, path, query, body, watchers));
  }

  /** A POST whose answer may also have the status 422, with a body like that of 200. */
  async postFile<Answer>(path: string, body: object, sent: Sent): Promise<Answer> {
    const reply = await this.send('POST', path, {}, body, { sent });
    const isReport = reply.status === 422 && isObject(reply.body) && 'errors' in reply.body;
    return isReport ? (reply.body as Answer) : this.#accept(reply);
  }

  /** Passes the text of an answer on while it comes. */
  async getText(path: string, query: QueryValues, take: Watchers['take']): Promise<void> {
    const exchanged = await this.#exchange('GET', path, query, undefined, { take });
    if (exchanged.status !== 200) this.#accept(this.#parse(exchanged));
  }

  close(): void {
    this.#agent.destroy();
  }

  #accept<Answer>({ status, body }: Reply): Answer {
    if (status >= 200 && status < 300 && isObject(body)) return body as Answer;
    const refusal = isObject(body) ? (body as { error?: unknown; code?: unknown }) : undefined;
    if (typeof refusal?.error !== 'string') throw this.#strange(status, 'no answer of zonebook');
    const code = String(refusal.code);
    throw new CliFailure(exitCodeOf(status), `${refusal.error} (${code})`, hintFor(code));
  }

  async #exchange(
    method: string,
    path: string,
    query: QueryValues,
    body: object | undefined,
    watchers: Watchers,
  ): Promise<Exchanged> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options = this.#optionsFor(method, `${path}${queryString(query)}`, payload);
    const secure = this.#target.kind === 'url' && this.#target.url.protocol === 'https:';
    try {
      return await exchange(secure ? tlsRequest : request, options, payload, watchers);
    } catch (error) {
      throw error instanceof CliFailure
        ? error
        : notReached(this.#target, error as NodeJS.ErrnoException);
    }
  }

  #parse({ status, type, date, text }: Exchanged): Reply {
    const isJson = /[/+]json\b/.test(type);
    if (!isJson) return { status, body: text, date };
    try {
      return { status, body: JSON.parse(text), date };
    } catch {
      throw this.#strange(status, 'broken JSON');
    }
  }

  #optionsFor(method: string, path: string, payload: Buffer | undefined): RequestOptions {
    const target = this.#target;
    const isLocal = target.kind === 'socket';
    const url = isLocal ? localUrl : target.url;
    const token = isLocal ? undefined : target.token;
    const options = jsonRequest(url, { method, path, payload, token });
    return { ...options, agent: this.#agent, ...(isLocal ? { socketPath: target.path } : {}) };
  }

  #strange(status: number, what: string): CliFailure {
    return new CliFailure(
      exitCodeOf(status),
      `${this.address} answered status ${status} with ${what}`,
      'check that --url or ZONEBOOK_URL names a zonebook service',
    );
  }
}

/** A segment of a path. Dots alone would be taken for a move to another path. */
export function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw usageFailure(`'${text}' is no name`);
  return encodeURIComponent(text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCode.denied;
  if (status === 404) return exitCode.notFound;
  if (status === 409 || status === 412) return exitCode.conflict;
  return exitCode.failure;
}

function queryString(query: QueryValues): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
