/**
 * The client of the HTTP interface: over the local socket of a service on this host, or over the
 * network with a token.
 *
 * An https URL is trusted by the authorities Node trusts (NODE_EXTRA_CA_CERTS adds to them) and those of
 * `--ca-file`. A certificate that fails is distinguished from a service that does not exist.
 *
 * Every refusal becomes a failure with its exit code here, once; a service that is not reached has its own.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { certificatesIn } from '../base/certificates.ts';
import { monotonicMs } from '../base/clock.ts';
import {
  exchange,
  type Exchanged,
  jsonRequest,
  type Sent,
  type Silence,
  type Watchers,
} from '../base/http-exchange.ts';
import { problemOfSocketPath, socketPathOf } from '../base/socket-path.ts';
import { localUser, saidWhy } from './author.ts';
import { type CliServices, readText } from './environment.ts';
import {
  CliFailure,
  exitCode,
  type ProblemBody,
  refusedWith,
  strangeAnswer,
  usageFailure,
} from './failure.ts';
import { addressOf, notReached, type Target, unknownChange } from './not-reached.ts';
import { ofAll, type Propagated } from './propagated.ts';

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

/**
 * Milliseconds in which a service has to send something, or to answer whether it is healthy; and for which a
 * connection may have been idle that is used again. The service ends it after 5 s, whatever is sent just then: of a
 * change nobody would know whether it was made.
 */
const usualTimeouts = { quietMs: 10_000, healthMs: 15_000, idleMs: 2000 };

export class Client {
  readonly #target: Target;
  readonly #timeouts: typeof usualTimeouts;
  readonly #agent: Agent;
  /** Since when a kept connection has been idle. */
  readonly #idleSince = new WeakMap<Duplex, number>();
  readonly #why: Readonly<Record<string, string>>;
  readonly #writes = new Set<string>();
  #isPropagated: Propagated | undefined;
  /** The entity tag that a zone must still have for anything to be written to it. */
  ifMatch: string | undefined;

  /** `why`: headers of every request that changes something. */
  constructor(
    target: Target,
    why: Readonly<Record<string, string>> = {},
    timeouts: Partial<typeof usualTimeouts> = {},
  ) {
    this.#target = target;
    this.#timeouts = { ...usualTimeouts, ...timeouts };
    this.#why = why;
    // One connection, kept: lists of many pages would open one for each page otherwise.
    const options = { keepAlive: true };
    if (target.kind === 'url' && target.url.protocol === 'https:') {
      const { authorities } = target;
      const trust = authorities === undefined ? {} : { ca: [...authorities] };
      this.#agent = new TlsAgent({ ...options, ...trust });
    } else {
      this.#agent = new Agent(options);
    }
    this.#agent.on('free', (socket: Duplex) => this.#idleSince.set(socket, monotonicMs()));
  }

  /** The service as people call it: the path of its socket or its URL. */
  get address(): string {
    return addressOf(this.#target);
  }

  /** The ids of the requests that may have changed something. */
  get writes(): ReadonlySet<string> {
    return this.#writes;
  }

  /** Of all that was written; undefined where no answer is about that. */
  get isPropagated(): Propagated | undefined {
    return this.#isPropagated;
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
    return this.#accept(await this.send(method, path, query, body), method);
  }

  /** One exchange, whatever its status. */
  async send(
    method: string,
    path: string,
    query: QueryValues,
    body?: object,
    watchers: Pick<Watchers, 'sent' | 'withinMs'> = {},
  ): Promise<Reply> {
    return this.#parse(await this.#exchange(method, path, query, body, watchers), method);
  }

  /** A POST whose answer may also have the status 422, with a body like that of 200. */
  async postFile<Answer>(path: string, body: object, sent: Sent): Promise<Answer> {
    const reply = await this.send('POST', path, {}, body, { sent });
    const isReport = reply.status === 422 && isObject(reply.body) && 'errors' in reply.body;
    return isReport ? (reply.body as Answer) : this.#accept(reply, 'POST');
  }

  /** Passes the text of an answer on while it comes. */
  async getText(
    path: string,
    query: QueryValues,
    take: Watchers['take'],
    accept?: string,
  ): Promise<void> {
    const headers = accept === undefined ? {} : { accept };
    const exchanged = await this.#exchange('GET', path, query, undefined, { take }, headers);
    if (exchanged.status !== 200) this.#accept(this.#parse(exchanged, 'GET'), 'GET');
  }

  close(): void {
    this.#agent.destroy();
  }

  #accept<Answer>({ status, body }: Reply, method: string): Answer {
    if (status >= 200 && status < 300 && isObject(body)) {
      const { propagated } = body as { propagated?: Propagated };
      this.#isPropagated = ofAll(this.#isPropagated, propagated);
      return body as Answer;
    }
    const problem = isObject(body) ? (body as Partial<ProblemBody>) : undefined;
    if (typeof problem?.error !== 'string') {
      throw this.#strange(status, method, 'no answer of zonebook');
    }
    throw refusedWith(status, problem as ProblemBody);
  }

  async #exchange(
    method: string,
    path: string,
    query: QueryValues,
    body: object | undefined,
    watchers: Watchers,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Exchanged> {
    this.#endIdle();
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options = this.#optionsFor(method, `${path}${queryString(query)}`, payload, headers);
    const taker = new Taker(watchers.take);
    try {
      const watched = { silence: this.#silence, ...watchers, take: taker.take };
      return await exchange(this.#open, options, payload, watched);
    } catch (error) {
      if (taker.failed) throw taker.error;
      throw await notReached(this.#target, error as NodeJS.ErrnoException, method !== 'GET');
    }
  }

  /** By the clock: the timers of a process that was busy, or asleep, come late. */
  #endIdle(): void {
    const beforeMs = monotonicMs() - this.#timeouts.idleMs;
    for (const socket of Object.values(this.#agent.freeSockets).flatMap((free) => free ?? [])) {
      if ((this.#idleSince.get(socket) ?? 0) < beforeMs) socket.destroy();
    }
  }

  get #open(): typeof request {
    const target = this.#target;
    return target.kind === 'url' && target.url.protocol === 'https:' ? tlsRequest : request;
  }

  /** A long import or a wait may send nothing for minutes; the service tells of its health all the same. */
  get #silence(): Silence {
    const { quietMs, healthMs } = this.#timeouts;
    const isAlive = async () => {
      const options = this.#optionsFor('GET', '/health', undefined, {});
      try {
        await exchange(this.#open, options, undefined, { withinMs: healthMs });
        return true;
      } catch {
        return false;
      }
    };
    return { quietMs, isAlive };
  }

  #parse({ status, type, date, text }: Exchanged, method: string): Reply {
    const isJson = /[/+]json\b/.test(type);
    if (!isJson) return { status, body: text, date };
    try {
      return { status, body: JSON.parse(text), date };
    } catch {
      throw this.#strange(status, method, 'broken JSON');
    }
  }

  #optionsFor(
    method: string,
    path: string,
    payload: Buffer | undefined,
    more: object,
  ): RequestOptions {
    const target = this.#target;
    const isLocal = target.kind === 'socket';
    const url = isLocal ? localUrl : target.url;
    const token = isLocal ? undefined : target.token;
    const options = jsonRequest(url, { method, path, payload, token });
    const requestId = randomUUID();
    if (method !== 'GET') this.#writes.add(requestId);
    const { ifMatch } = this;
    const expected = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const own = method === 'GET' ? {} : { ...this.#why, ...expected, 'x-request-id': requestId };
    const user = isLocal ? { 'zonebook-user': localUser() } : {};
    const headers = { ...(options.headers as Record<string, string>), ...own, ...user, ...more };
    const socket = isLocal ? { socketPath: target.path } : {};
    return { ...options, headers, agent: this.#agent, ...socket };
  }

  #strange(status: number, method: string, what: string): CliFailure {
    // A proxy that has passed a request on says so where it gets no answer.
    const isUnknown = method !== 'GET' && (status === 502 || status === 504);
    const message = `${this.address} answered status ${status} with ${what}`;
    return strangeAnswer(status, `${message}${isUnknown ? unknownChange : ''}`);
  }
}

/** What takes an answer may fail by itself: the service is not to blame then. */
class Taker {
  failed = false;
  error: unknown;
  readonly take: Watchers['take'];

  constructor(take: Watchers['take']) {
    if (take === undefined) return;
    this.take = async (piece) => {
      try {
        await take(piece);
      } catch (error) {
        this.failed = true;
        this.error = error;
        throw error;
      }
    };
  }
}

/**
 * Headers of writes: `--reason` and `--reference`, else what the variables say, `--allow-deletes` and `--wait`.
 */
export function writeHeaders(
  {
    reason,
    reference,
    allowDeletes,
    wait,
  }: Readonly<Record<'reason' | 'reference', string | undefined>> & {
    readonly allowDeletes: number | undefined;
    readonly wait: number | undefined;
  },
  env: CliServices['env'],
): Record<string, string> {
  const why = saidWhy({ reason, reference }, env);
  const given = {
    'zonebook-reason': why.reason,
    'zonebook-reference': why.reference,
    'zonebook-allow-deletes': allowDeletes?.toString(),
    prefer: wait === undefined ? undefined : `wait=${wait}`,
  };
  const said = Object.entries(given).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(said.map(([name, value]) => [name, headerText(value!)]));
}

/** Text beyond ASCII in the form of RFC 8187. */
function headerText(text: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(text) && !/^UTF-8'/i.test(text);
  return isAscii ? text : `UTF-8''${encodeURIComponent(text)}`;
}

/** A segment of a path. Dots alone would be taken for a move to another path. */
export function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw usageFailure(`'${text}' is no name`);
  return encodeURIComponent(text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function queryString(query: QueryValues): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** What says where it is: options of every command. */
interface TargetOptions {
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly caFile: string | undefined;
}

/** `--url`, else ZONEBOOK_URL; undefined means the local socket. */
export function urlOf(globals: TargetOptions, { env }: CliServices): string | undefined {
  return globals.url ?? (env.ZONEBOOK_URL || undefined);
}

export async function findTarget(globals: TargetOptions, services: CliServices): Promise<Target> {
  const given = urlOf(globals, services);
  if (given === undefined) return findSocket(globals, services);
  const url = parseUrl(given);
  const token = globals.token ?? (services.env.ZONEBOOK_TOKEN || undefined);
  if (globals.caFile === undefined) return { kind: 'url', url, token };
  if (url.protocol !== 'https:') {
    throw usageFailure(`--ca-file goes with an https URL, which '${given}' is not`);
  }
  return { kind: 'url', url, token, authorities: await authoritiesWith(globals.caFile) };
}

async function findSocket(globals: TargetOptions, services: CliServices): Promise<Target> {
  if (globals.token !== undefined) {
    throw usageFailure('a token goes with --url or --context: the local socket needs none');
  }
  if (globals.caFile !== undefined) {
    throw usageFailure('--ca-file goes with --url: the local socket has no certificate');
  }
  const { dataDir } = await services.loadConfig({ file: globals.config, dataDir: globals.dataDir });
  const found = problemOfSocketPath(dataDir);
  if (found === undefined) return { kind: 'socket', path: socketPathOf(dataDir) };
  const { key, problem, allowed } = found;
  const message = `${key}: ${problem}; allowed: ${allowed}`;
  throw new CliFailure(exitCode.configurationUnusable, message);
}

/** Refuses, with how it is written, what is no URL of a service. */
export function parseUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usageFailure(
    `'${given}' is no URL of a service`,
    'write it like http://127.0.0.1:3000, in --url or ZONEBOOK_URL',
  );
}

/** Every authority to trust when `file` is added; fails when the file holds no certificate. */
async function authoritiesWith(file: string): Promise<string[]> {
  const text = await readText(file);
  try {
    return [...getCACertificates('default'), ...certificatesIn(text)];
  } catch {
    const hint = '--ca-file takes a file of certificates in PEM form';
    throw new CliFailure(exitCode.failure, `${file} holds no certificate that can be read`, hint);
  }
}
