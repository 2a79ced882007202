/**
 * Who is calling: the local socket, the holder of a token, a browser with a session, or anybody when authentication
 * is off.
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
import { Problem } from '../base/problem.ts';
import { unknownToken } from '../domain/access/require.ts';
import { sessionEnded } from '../domain/access/session-end.ts';
import { fullRights, noRights, type Rights } from '../domain/access/rights.ts';
import type { LocalUser } from '../domain/access/model.ts';
import type { StoredSession } from '../keystore/session-table.ts';
import type { Actor, ChangeSource } from '../writer/submission.ts';
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
  /** Of a browser that is logged in. */
  readonly session?: StoredSession | undefined;
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
  const { clock, keystore, options, logins, rights, tokenUse } = services;
  const { failures } = logins;

  /** By the cookie of a session; undefined when the request shows none, or comes from another site. */
  function byCookie(context: HttpContext): Caller | undefined {
    const header = headerOf(context, 'cookie');
    if (header === undefined || !isSameOrigin(context)) return undefined;
    const found = logins.ofCookies(header);
    if (found === undefined) return undefined;
    const { session, token, user } = found;
    if (token === null) {
      const localUser = user ?? undefined;
      return { source: 'api', actor: null, localUser, rights: fullRights, session };
    }
    tokenUse.stamp(token.id, addressOf(context), clock());
    const actor: Actor = { kind: 'token', id: token.id, name: token.name };
    return { source: 'api', actor, rights: rights.ofRole(token.roleId), session };
  }

  return (context) => {
    if (context.env?.via === 'local') {
      return { ...localCaller, localUser: localUserOf(context) };
    }
    const secret = bearerOf(headerOf(context, 'authorization'));
    const byCookieCaller = secret === undefined ? byCookie(context) : undefined;
    if (byCookieCaller !== undefined) return byCookieCaller;
    if (!options.authenticationRequired) return anonymousCaller;
    if (secret === undefined) throw new Problem('UNAUTHORIZED', tokenNeeded);
    const id = keystore.tokenIdByHash(hashOfSecret(secret));
    const token = id === undefined ? undefined : rights.token(id);
    if (token === undefined) return failures.refuse(clientAddressOf(context), 'unknown');
    const now = clock();
    if (token.expiresAt !== null && token.expiresAt <= now) {
      return failures.refuse(clientAddressOf(context), 'expired');
    }
    tokenUse.stamp(token.id, addressOf(context), now);
    const actor: Actor = { kind: 'token', id: token.id, name: token.name };
    return { source: 'api', actor, rights: rights.ofRole(token.roleId) };
  };
}

/** Null for calls within the process. */
const addressOf = (context: HttpContext): string | null => clientAddressOf(context) || null;

type RightsSources = Pick<Services, 'clock' | 'logins' | 'rights'>;

/** The rights of a caller at this moment: its role may have changed. Undefined when its token or session has gone. */
export function heldRights(
  { actor, rights: asCame, session }: Caller,
  { clock, logins, rights }: RightsSources,
): Rights | undefined {
  if (session !== undefined && !logins.isOpen(session)) return undefined;
  if (actor === null) return asCame;
  const token = rights.token(actor.id);
  const isValid = token !== undefined && (token.expiresAt === null || token.expiresAt > clock());
  return isValid ? rights.ofRole(token.roleId) : undefined;
}

/** The same for what goes on: a caller that has gone is refused, as it would be if it came now. */
export function rightsNow(caller: Caller, sources: RightsSources): Rights {
  const held = heldRights(caller, sources);
  if (held !== undefined) return held;
  throw caller.session === undefined ? unknownToken() : sessionEnded();
}

const bearer = /^bearer +(\S+) *$/i;

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}

/**
 * Whether a page of this service may have sent it, as browsers say with every request (Fetch Metadata), or with Origin.
 * What a person opens by hand only reads.
 */
function isSameOrigin(context: HttpContext): boolean {
  const isRead = context.req.raw.method === 'GET' || context.req.raw.method === 'HEAD';
  const site = headerOf(context, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none');
  const origin = headerOf(context, 'origin');
  if (origin === undefined) return isRead;
  return isOrigin(origin, headerOf(context, 'host') ?? '');
}

/** Refuses what a page of another site sent without being asked for a token. */
export function requireOwnPage(context: HttpContext): void {
  const isBrowser = headerOf(context, 'sec-fetch-site') ?? headerOf(context, 'origin');
  if (isBrowser === undefined || isSameOrigin(context)) return;
  throw new Problem('FORBIDDEN', 'a page of another site asks: only pages of this service may');
}

function isOrigin(origin: string, host: string): boolean {
  return origin.replace(/^https?:\/\//i, '').toLowerCase() === host.toLowerCase();
}

/** Refuses what a page of another site may have sent, where no token is asked for. */
export function requireOwnHost(
  context: HttpContext,
  { authenticationRequired, hostName }: HttpOptions,
): void {
  if (authenticationRequired || context.env?.via === 'local') return;
  // Calls within the process name none, nor do some of HTTP/1.0; whatever a browser sends names it.
  const host = headerOf(context, 'host');
  const name = nameOf(host ?? 'localhost');
  if (isIP(name) === 0 && name !== 'localhost' && name !== hostName) {
    throw new Problem(
      'FORBIDDEN',
      `Host '${host?.slice(0, 100)}' is not this service: without authentication it is reached by an address ` +
        'or by api.host_name',
    );
  }
  const origin = headerOf(context, 'origin');
  if (origin !== undefined && !isOrigin(origin, host ?? '')) {
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
