/**
 * The client of our HTTP interface: one request and its answer before a deadline, or a WebhookProblem.
 *
 * No connection is kept: there are some calls a minute, and one that the service closed meanwhile would
 * fail the next call.
 */
import { type RequestOptions, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type Exchanged, exchange, jsonRequest } from '../base/http-exchange.ts';
import { badGateway, type ItemError, problemOf } from './problem.ts';
import type { TokenSource } from './settings.ts';

export interface ServiceClientOptions {
  readonly url: URL;
  readonly token: TokenSource;
  /** In PEM; for https. */
  readonly authorities: readonly string[];
  readonly timeoutMs: number;
}

/** Bytes of an answer at most: some millions of records. */
const answerBytes = 512 * 1024 * 1024;

export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #deadline: AbortSignal | undefined;

  constructor(options: ServiceClientOptions, deadline?: AbortSignal) {
    this.#options = options;
    this.#deadline = deadline;
  }

  /** The same client for one call of the controller: all its requests share one deadline. */
  forOneCall(): ServiceClient {
    return new ServiceClient(this.#options, AbortSignal.timeout(this.#options.timeoutMs));
  }

  get<Body>(path: string): Promise<Body> {
    return this.#call('GET', path, undefined);
  }

  post<Body>(path: string, body: object): Promise<Body> {
    return this.#call('POST', path, Buffer.from(JSON.stringify(body)));
  }

  async #call<Body>(method: string, path: string, payload: Buffer | undefined): Promise<Body> {
    const { status, text } = await this.#exchange(method, path, payload);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw badGateway(`${this.#urlOf(path)} answered status ${status} without JSON`);
    }
    if (status === 200) return body as Body;
    const { error, code, errors } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const message = typeof error === 'string' ? error : `status ${status}`;
    throw problemOf({ status, code: String(code ?? ''), errors: itemErrors(errors) }, message);
  }

  /** The service as people call it. */
  #urlOf(path: string): string {
    return `${this.#options.url.origin}${path}`;
  }

  async #exchange(method: string, path: string, payload: Buffer | undefined): Promise<Exchanged> {
    const { url, authorities, timeoutMs } = this.#options;
    const secure = url.protocol === 'https:';
    const signal = this.#deadline ?? AbortSignal.timeout(timeoutMs);
    const token = await this.#options.token.current();
    const options: RequestOptions = {
      ...jsonRequest(url, { method, path, payload, token }),
      agent: false,
      signal,
      ...(secure ? { ca: [...authorities] } : {}),
    };
    const limits = { maxBytes: answerBytes, connectMs: timeoutMs };
    try {
      return await exchange(secure ? tlsRequest : request, options, payload, limits);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isLate = signal.aborted || code === 'ETIMEDOUT';
      const reason = isLate
        ? `did not answer within ${timeoutMs} ms`
        : `failed: ${code ?? message}`;
      throw badGateway(`${this.#urlOf(path)} ${reason}`);
    }
  }
}

function itemErrors(errors: unknown): readonly ItemError[] {
  return Array.isArray(errors) ? (errors as ItemError[]) : [];
}
