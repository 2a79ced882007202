/**
 * Who is calling: the local socket, anybody when authentication is off, else the holder of a token.
 *
 * A token is known by the SHA-256 of its secret; its rights are those of its role at this moment.
 * No or another scheme is UNAUTHORIZED, an unknown or expired secret INVALID_TOKEN or, past the limit of
 * its address, RATE_LIMITED. Valid tokens are never limited.
 */
import { Problem } from '../base/problem.ts';
import { fullRights, noRights, type Rights } from '../domain/access/rights.ts';
import type { Actor, ChangeSource } from '../engine/submission.ts';
import { FailureLimit } from './failure-limit.ts';
import { clientAddressOf, headerOf, type HttpContext } from './request-source.ts';
import { hashOfSecret } from './secret.ts';
import type { Services } from './services.ts';

export interface Caller {
  readonly source: ChangeSource;
  /** Null for the local command line and for calls without authentication. */
  readonly actor: Actor | null;
  /** As they were when the request came; writes are judged by those of their transaction. */
  readonly rights: Rights;
}

const localCaller: Caller = { source: 'cli', actor: null, rights: fullRights };
const anonymousCaller: Caller = { source: 'api', actor: null, rights: fullRights };

/** For operations that are open to everyone and change nothing. */
export const nobody: Caller = { source: 'api', actor: null, rights: noRights };

const tokenNeeded = 'a token is needed: Authorization: Bearer <token>';

/** Makes the function that tells the caller of a request, or throws why there is none. */
export function createAuthenticator(
  services: Services,
): (context: HttpContext) => Caller | Promise<Caller> {
  const { clock, keystore, options, rights, tokenUse } = services;
  const failures = new FailureLimit(options.authFailuresPerMinute);

  return (context) => {
    if (context.env?.door === 'local') return localCaller;
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

const bearer = /^bearer +(\S+) *$/i;

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}
