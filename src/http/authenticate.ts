/**
 * Who is calling: the local socket, anybody when authentication is off, else the holder of a token.
 *
 * A token is known by the SHA-256 of its secret; its rights are those of its role at this moment.
 * No or another scheme is UNAUTHORIZED, an unknown or expired secret INVALID_TOKEN or, past the limit of
 * its address, RATE_LIMITED. Valid tokens are never limited.
 *
 * Without tokens whoever can make a browser of this network send requests could do everything. So then a
 * request names the service by an address, by `localhost` or by the configured name, which no other site can
 * point here (DNS rebinding), and does not come from a page of another origin.
 */
import { isIP } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../base/problem.ts';
import { fullRights, noRights, type Rights } from '../domain/access/rights.ts';
import type { Actor, ChangeSource, LocalUser } from '../writer/submission.ts';
import { clientAddressOf, headerOf, type HttpContext } from './request-source.ts';
import { hashOfSecret } from './secret.ts';
import type { HttpOptions, Services } from './services.ts';
import { localUserOf } from './why.ts';

export interface Caller {
  readonly source: ChangeSource;
  /** Null for the local command line and for calls without authentication. */
  readonly actor: Actor | null;
  /** At the local socket, as the request says. */
  readonly localUser?: LocalUser | undefined;
  /** As they were when the request came; writes are judged by those of their transaction. */
  readonly rights: Rights;
}

const localCaller: Caller = { source: 'cli', actor: null, rights: fullRights };
const anonymousCaller: Caller = { source: 'api', actor: null, rights: fullRights };

/** For operations that are open to everyone and change nothing. */
export const nobody: Caller = { source: 'api', actor: null, rights: noRights };

const tokenNeeded = 'a token is needed: Authorization: Bearer <token>';

/** Makes the function that finds the caller of a request, or throws why there is none. */
export function createAuthenticator(
  services: Services,
): (context: HttpContext) => Caller | Promise<Caller> {
  const { clock, keystore, options, rights, tokenUse } = services;
  const failures = new FailureLimit(options.authFailuresPerMinute);

  return (context) => {
    if (context.env?.door === 'local') {
      return { ...localCaller, localUser: localUserOf(context) };
    }
    if (!options.authenticationRequired) return anonymousCaller;
    const secret = bearerOf(headerOf(context, 'authorization'));
    if (secret === undefined) throw new Problem('UNAUTHORIZED', tokenNeeded);
    const id = keystore.tokenIdByHash(hashOfSecret(secret));
    const token = id === undefined ? undefined : rights.token(id);
    if (token === undefined) return failures.refuse(clientAddressOf(context), 'unknown');
    const now = clock();
    if (token.expiresAt !== null && token.expiresAt <= now) {
      return failures.refuse(clientAddressOf(context), 'expired');
    }
    tokenUse.stamp(token.id, now);
    const actor: Actor = { kind: 'token', id: token.id, name: token.name };
    return { source: 'api', actor, rights: rights.ofRole(token.roleId) };
  };
}

/** The rights of a caller at this moment: its token may have gone since the request came, or its role changed. */
export function rightsNow(
  { actor, rights: asCame }: Caller,
  { clock, rights }: Pick<Services, 'clock' | 'rights'>,
): Rights {
  if (actor === null) return asCame;
  const token = rights.token(actor.id);
  const isValid = token !== undefined && (token.expiresAt === null || token.expiresAt > clock());
  return isValid ? rights.ofRole(token.roleId) : noRights;
}

const bearer = /^bearer +(\S+) *$/i;

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}

const minuteSeconds = 60;

/**
 * Brute force made slow: unknown secrets are counted by client address and minute, and past the
 * limit failing attempts answer RATE_LIMITED until the minute is over.
 *
 * An expired secret is a known one: it is not counted, but refused alike past the limit.
 */
class FailureLimit {
  readonly #counts: RateLimiterMemory | undefined;

  /** `perMinute` 0 limits nothing. */
  constructor(perMinute: number) {
    if (perMinute === 0) return;
    this.#counts = new RateLimiterMemory({ points: perMinute, duration: minuteSeconds });
  }

  /** Refuses one failing attempt. */
  async refuse(address: string, why: 'unknown' | 'expired'): Promise<never> {
    try {
      await this.#counts?.consume(address, why === 'unknown' ? 1 : 0);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new Problem('RATE_LIMITED', 'too many unknown tokens came from this address', seconds);
    }
    throw new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
  }
}

/** Refuses what a page of another site may have sent, where no token is asked for. */
export function requireOwnHost(
  context: HttpContext,
  { authenticationRequired, hostName }: HttpOptions,
): void {
  if (authenticationRequired || context.env?.door === 'local') return;
  const host = headerOf(context, 'host');
  // Calls within the process name none.
  if (host === undefined) return;
  const name = nameOf(host);
  if (isIP(name) === 0 && name !== 'localhost' && name !== hostName) {
    throw new Problem(
      'FORBIDDEN',
      `Host '${host.slice(0, 100)}' is not this service: without authentication it is reached by an address ` +
        'or by api.host_name',
    );
  }
  const origin = headerOf(context, 'origin');
  if (
    origin !== undefined &&
    origin.replace(/^https?:\/\//i, '').toLowerCase() !== host.toLowerCase()
  ) {
    throw new Problem(
      'FORBIDDEN',
      `Origin '${origin.slice(0, 100)}' is foreign: without authentication only pages of this service may ask`,
    );
  }
}

/** The host without port and brackets, as names are compared. */
function nameOf(host: string): string {
  const inBrackets = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  if (inBrackets !== null) return inBrackets[1]!;
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
