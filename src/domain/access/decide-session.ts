/**
 * Commands about sessions: browsers that work with the rights of a token, or with all rights for a user of the host.
 * Secrets and codes are checked where they are known; what follows is decided here.
 */
import { excerpt, Problem } from '../../base/problem.ts';
import type { Decision, DecisionContext } from '../decision.ts';
import type { RefusedLogin, Session } from './model.ts';
import { requireEverywhere } from './require.ts';

interface OpenSession {
  readonly session: Session;
  /** SHA-256 of the secret, which its cookie holds. */
  readonly secretHash: Buffer;
}

interface CloseSession {
  readonly session: Session;
}

interface RefuseSession {
  readonly login: RefusedLogin;
}

/** The writer read the token of whoever opens it. One without a token has all rights: so has who opens it. */
function decideOpenSession(
  { session, secretHash }: OpenSession,
  { rights }: DecisionContext,
): Decision<object> {
  if (session.token === null && !rights.isFull) {
    throw new Problem('FORBIDDEN', 'a session without a token is opened with all rights alone');
  }
  return {
    event: { kind: 'session.opened', session },
    outcome: {},
    secrets: [{ kind: 'put-session', session, hash: secretHash }],
  };
}

/** One's own without any right. A session ends by one event: a second call finds none. */
function decideCloseSession(
  { session }: CloseSession,
  { rights, view, bySession }: DecisionContext,
): Decision<object> {
  if (session.id !== bySession) requireEverywhere(rights, 'access:manage');
  if (view.sessionById(session.id) === undefined) throw noSession(session.id);
  return {
    event: { kind: 'session.closed', session },
    outcome: {},
    secrets: [{ kind: 'delete-session', id: session.id }],
  };
}

/** The service says it of those who have no rights at all. */
function decideRefuseSession(
  { login }: RefuseSession,
  { rights }: DecisionContext,
): Decision<object> {
  requireEverywhere(rights, 'access:manage');
  return { event: { kind: 'session.refused', login }, outcome: {} };
}

export function noSession(id: string): Problem {
  return new Problem('SESSION_NOT_FOUND', `there is no session '${excerpt(id)}'`);
}

export const sessionDecisions = {
  'open-session': decideOpenSession,
  'close-session': decideCloseSession,
  'refuse-session': decideRefuseSession,
};
