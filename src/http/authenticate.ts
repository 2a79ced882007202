/**
 * Who is calling: the local socket, anybody when authentication is off, else the holder of a token.
 *
 * No secret is known to this build's keystore over the network, so every bearer token is refused as
 * INVALID_TOKEN; full rights come by the local socket or with authentication switched off.
 */
import { Problem } from '../base/problem.ts';
import type { Zone } from '../domain/zone.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Actor, ChangeSource } from '../engine/submission.ts';
import type { HttpOptions } from './services.ts';
import { headerOf, type HttpContext } from './request-source.ts';

export interface Caller {
  readonly source: ChangeSource;
  /** Null for the local command line and for calls without authentication. */
  readonly actor: Actor | null;
  /** The record actions the caller holds on a record, in storage order. */
  recordActions(zone: Zone, record: ZoneRecord): readonly string[];
}

const allRecordActions = Object.freeze(['record:read', 'record:update', 'record:delete']);

function callerWithAllRights(source: ChangeSource): Caller {
  return { source, actor: null, recordActions: () => allRecordActions };
}

const localCaller = callerWithAllRights('cli');
const anonymousCaller = callerWithAllRights('api');

/** The caller of a request, or UNAUTHORIZED or INVALID_TOKEN. */
export function authenticate(context: HttpContext, options: HttpOptions): Caller {
  if (context.env?.door === 'local') return localCaller;
  if (!options.authenticationRequired) return anonymousCaller;
  const secret = bearerOf(headerOf(context, 'authorization'));
  if (secret === undefined) {
    throw new Problem('UNAUTHORIZED', 'a token is needed: Authorization: Bearer <token>');
  }
  throw new Problem('INVALID_TOKEN', 'the token is unknown or expired');
}

const bearer = /^bearer +(\S+) *$/i;

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}
