/**
 * Sessions: browsers that work with the rights of a token, or of the user of the host who asked for a code. The page
 * never holds the token; its cookie can not be read by scripts, and other sites can not use it.
 *
 * A session ends when it is closed, when it was not used for `sessionIdleHours`, when it is `sessionMaxDays` old, and
 * with its token. A code lets in once, within a minute; codes are known to this process alone.
 */
import { randomBytes } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Clock, dayMs, hasCome, hourMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { sessionCookie } from '../contract/sessions.ts';
import type { LocalUser, RefusedLogin, Session, Token } from '../domain/access/model.ts';
import { unknownToken } from '../domain/access/require.ts';
import { endOfSession, type SessionTimes } from '../domain/access/session-end.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { StoredSession } from '../keystore/session-table.ts';
import { networkOf } from '../outbound/address.ts';
import type { SessionUse } from '../projection/activity-log.ts';
import type { RightsReader } from '../query/rights-reader.ts';
import type { BySession, SubmitOptions } from '../writer/submission.ts';
import type { Writer } from '../writer/writer.ts';
import type { RefusedLogins } from './refused-logins.ts';
import { hashOfSecret } from './secret.ts';

const { name: cookieName } = sessionCookie;
const secretBytes = 32;
const idBytes = 8;

/** Whose rights a session has: a token's, or all of them for a user of the host. */
export interface Holder {
  readonly token: Token | null;
  readonly user: LocalUser | null;
}

/** Who has a code, by its hash, and until when it lets in. */
interface CodeHolder extends Holder {
  readonly key: string;
  readonly until: number;
}

/** Where a browser is, and what it calls itself. */
export interface Client {
  readonly address: string;
  readonly agent: string | null;
}

export interface LoginServices {
  readonly clock: Clock;
  readonly keystore: Pick<Keystore, 'tokenIdByHash'> & {
    readonly sessions: Pick<Keystore['sessions'], 'byHash' | 'byId' | 'all'>;
  };
  readonly options: {
    readonly authFailuresPerMinute: number;
    /** Hours without use after which a session ends, and days after which it ends in any case. */
    readonly sessionIdleHours: number;
    readonly sessionMaxDays: number;
  };
  readonly refusedLogins: Pick<RefusedLogins, 'note'>;
  readonly rights: Pick<RightsReader, 'token'>;
  readonly sessionUse: Pick<SessionUse, 'stamp' | 'lastOf' | 'forget'>;
  readonly writer: Pick<Writer, 'submit'>;
}

export class Logins {
  readonly failures: FailureLimit;
  readonly #services: LoginServices;
  readonly #codes = new Map<string, CodeHolder>();

  constructor(services: LoginServices) {
    this.#services = services;
    this.failures = new FailureLimit(services.options.authFailuresPerMinute);
  }

  /** The live session of a cookie header, with whose it is. */
  ofCookies(
    header: string | undefined,
  ): (Holder & { readonly session: StoredSession }) | undefined {
    const secret = secretIn(header);
    if (secret === undefined) return undefined;
    const session = this.#services.keystore.sessions.byHash(hashOfSecret(secret));
    const holder = session && this.holderOf(session);
    if (session === undefined || holder === undefined) return undefined;
    this.#services.sessionUse.stamp(session, this.#services.clock());
    return { ...holder, session };
  }

  /** Whose rights a session has; undefined when it has ended. */
  holderOf(session: StoredSession): Holder | undefined {
    const { clock, rights } = this.#services;
    const now = clock();
    if (this.endOf(session) <= now) return undefined;
    if (session.tokenId === null) return { token: null, user: session.user };
    const token = rights.token(session.tokenId);
    const isValid = token !== undefined && (token.expiresAt === null || token.expiresAt > now);
    return isValid ? { token, user: null } : undefined;
  }

  /** Whether it is still there, and has not ended. */
  isOpen({ id }: StoredSession): boolean {
    const session = this.#services.keystore.sessions.byId(id);
    return session !== undefined && this.holderOf(session) !== undefined;
  }

  lastUseOf(session: StoredSession): number {
    return this.#services.sessionUse.lastOf(session);
  }

  /** When it ends unless it is used again, in milliseconds since 1970. */
  endOf(session: StoredSession): number {
    const { openedAt } = session;
    return endOfSession({ openedAt, seenAt: this.lastUseOf(session) }, this.#times);
  }

  /** What the writer has to know of the session that a command comes by. */
  submittedBy(session: StoredSession): BySession {
    return { id: session.id, seenAt: this.lastUseOf(session), ...this.#times };
  }

  get #times(): SessionTimes {
    const { sessionIdleHours, sessionMaxDays } = this.#services.options;
    return { idleMs: sessionIdleHours * hourMs, ageMs: sessionMaxDays * dayMs };
  }

  /** Those that have not ended, the newest first. */
  list(): readonly (StoredSession & Holder)[] {
    return this.#services.keystore.sessions.all().flatMap((session) => {
      const holder = this.holderOf(session);
      return holder === undefined ? [] : [{ ...session, ...holder }];
    });
  }

  /** Refuses a login, alike whatever was wrong with the secret. */
  refuse(reason: RefusedLogin['reason'], { address }: Client, requestId: string): Promise<never> {
    this.#services.refusedLogins.note(address, reason, requestId);
    return this.failures.refuse(address, 'unknown');
  }

  /** Opens one; returns it with the header that gives the browser its cookie. A code is kept where that fails. */
  async open(holder: Holder | CodeHolder, client: Client, requestId: string) {
    const secret = randomBytes(secretBytes).toString('base64url');
    const id = randomBytes(idBytes).toString('hex');
    const openedAt = this.#services.clock();
    const token = tokenOf(holder);
    const session: Session = { id, token, user: holder.user, openedAt, ...client };
    const command = { kind: 'open-session', session, secretHash: hashOfSecret(secret) } as const;
    try {
      await this.#services.writer.submit(command, optionsOf(holder, requestId, 'logs in'));
    } catch (error) {
      if ('key' in holder) this.#codes.set(holder.key, holder);
      throw error;
    }
    const tokenId = token?.id ?? null;
    const stored: StoredSession = { ...session, tokenId, seenAt: openedAt };
    return { stored, cookie: `${cookieName}=${secret}; ${attributes}` };
  }

  /** The header that takes the cookie away. */
  get clearing(): string {
    return `${cookieName}=; Max-Age=0; ${attributes}`;
  }

  /** Closes one; `holder` is whose it was. */
  async close(session: StoredSession, holder: Holder, options: SubmitOptions): Promise<void> {
    const { tokenId: _, seenAt: __, ...rest } = session;
    const closed: Session = { ...rest, token: tokenOf(holder) };
    await this.#services.writer.submit({ kind: 'close-session', session: closed }, options);
    this.#services.sessionUse.forget(session.id);
  }

  /**
   * A code that opens one session for somebody, whose oldest ends when too many of them wait to be used. OVERLOADED
   * when too many of all wait.
   */
  createCode(holder: Holder): { readonly code: string; readonly until: number } {
    const now = this.#services.clock();
    const own: string[] = [];
    for (const [key, { until, token, user }] of this.#codes) {
      if (hasCome(until, now, limits.loginCodeMs)) this.#codes.delete(key);
      else if (token?.id === holder.token?.id && user?.uid === holder.user?.uid) own.push(key);
    }
    const [oldest] = own;
    if (own.length >= limits.loginCodesOfCaller) this.#codes.delete(oldest!);
    if (this.#codes.size >= limits.loginCodes) {
      throw new Problem('OVERLOADED', `${limits.loginCodes} codes wait to be used`, 60);
    }
    const code = randomBytes(secretBytes).toString('base64url');
    const until = now + limits.loginCodeMs;
    const key = hashOfSecret(code).toString('hex');
    this.#codes.set(key, { ...holder, key, until });
    return { code, until };
  }

  /** Who a secret lets in: a token's, or a code, which is used up by it; or why nobody. */
  holderBy(given: { readonly token?: string | undefined; readonly code?: string | undefined }) {
    return given.code === undefined
      ? this.#holderByToken(given.token ?? '')
      : this.#use(given.code);
  }

  #holderByToken(secret: string): Holder | RefusedLogin['reason'] {
    const { clock, keystore, rights } = this.#services;
    const id = keystore.tokenIdByHash(hashOfSecret(secret));
    const token = id === undefined ? undefined : rights.token(id);
    if (token === undefined) return 'unknown';
    if (token.expiresAt !== null && token.expiresAt <= clock()) return 'expired';
    return { token, user: null };
  }

  #use(code: string): CodeHolder | RefusedLogin['reason'] {
    const key = hashOfSecret(code).toString('hex');
    const found = this.#codes.get(key);
    this.#codes.delete(key);
    if (found === undefined) return 'unknown';
    return hasCome(found.until, this.#services.clock(), limits.loginCodeMs) ? 'expired' : found;
  }
}

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';

function tokenOf({ token }: Holder): Session['token'] {
  return token === null ? null : { id: token.id, name: token.name };
}

/** A role may ask for reasons: coming and going has its own. */
export function optionsOf({ token, user }: Holder, requestId: string, why: string): SubmitOptions {
  return {
    source: 'api',
    actor: token === null ? null : { kind: 'token', id: token.id, name: token.name },
    localUser: user ?? undefined,
    requestId,
    why: { reason: why, reference: null },
    dryRun: false,
  };
}

function secretIn(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName && value !== undefined && value !== '') return value;
  }
  return undefined;
}

const minuteSeconds = 60;

/**
 * Brute force made slow: unknown secrets are counted by client address (networkOf) and minute, and past the
 * limit failing attempts answer RATE_LIMITED until the minute is over.
 *
 * An expired secret is a known one: it is not counted, but refused alike past the limit.
 */
export class FailureLimit {
  readonly #counts: RateLimiterMemory | undefined;

  /** `perMinute` 0 limits nothing. */
  constructor(perMinute: number) {
    if (perMinute === 0) return;
    this.#counts = new RateLimiterMemory({ points: perMinute, duration: minuteSeconds });
  }

  /** Refuses one failing attempt. */
  async refuse(address: string, why: 'unknown' | 'expired'): Promise<never> {
    try {
      await this.#counts?.consume(networkOf(address), why === 'unknown' ? 1 : 0);
    } catch (problem) {
      if (!(problem instanceof RateLimiterRes)) throw problem;
      const seconds = Math.max(1, Math.ceil(problem.msBeforeNext / 1000));
      throw new Problem('RATE_LIMITED', 'too many unknown tokens came from this address', seconds);
    }
    throw unknownToken();
  }
}
