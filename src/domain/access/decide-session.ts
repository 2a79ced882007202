/**
 * Commands about sessions: browsers that work with the rights of a token. Who may open or close one is known where
 * its secret is; here is what the journal says of it.
 */
import type { Decision } from '../decision.ts';
import type { RefusedLogin, Session } from './model.ts';

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

function decideOpenSession({ session, secretHash }: OpenSession): Decision<object> {
  return {
    event: { kind: 'session.opened', session },
    outcome: {},
    secrets: [{ kind: 'put-session', session, hash: secretHash }],
  };
}

function decideCloseSession({ session }: CloseSession): Decision<object> {
  return {
    event: { kind: 'session.closed', session },
    outcome: {},
    secrets: [{ kind: 'delete-session', id: session.id }],
  };
}

function decideRefuseSession({ login }: RefuseSession): Decision<object> {
  return { event: { kind: 'session.refused', login }, outcome: {} };
}

export const sessionDecisions = {
  'open-session': decideOpenSession,
  'close-session': decideCloseSession,
  'refuse-session': decideRefuseSession,
};
