import { expect, it } from 'vitest';
import { Law } from '../../../spec/support/memory-state.ts';
import type { Session } from './model.ts';
import { noRights } from './rights.ts';

const session: Session = {
  id: '9f8a6c3e5d414c1b',
  token: { id: 1, name: 'boss' },
  user: null,
  openedAt: 1,
  address: '192.0.2.1',
  agent: null,
};
const close = { kind: 'close-session', session } as const;
const secretHash = Buffer.alloc(32);

it('sessions of others are closed with access:manage alone, one’s own without it', () => {
  const law = new Law();
  law.state.sessions.set(session.id, { openedAt: 1, seenAt: 1 });
  expect(law.when(close).event).toEqual({ kind: 'session.closed', session });
  law.rights = noRights;
  law.bySession = 'another';
  expect(law.refusal(close)).toBe("FORBIDDEN action 'access:manage' is needed in all zones");
  law.bySession = session.id;
  expect(law.when(close).event).toEqual({ kind: 'session.closed', session });
});

it('a session is closed once', () => {
  const law = new Law();
  expect(law.refusal(close)).toBe(`SESSION_NOT_FOUND there is no session '${session.id}'`);
});

it('a session without a token, which has all rights, is opened with all rights alone', () => {
  const law = new Law();
  law.rights = noRights;
  expect(law.when({ kind: 'open-session', session, secretHash }).event).toBeDefined();
  const ofHost = { ...session, token: null, user: { name: 'root', uid: 0 } };
  const opening = { kind: 'open-session', session: ofHost, secretHash } as const;
  expect(law.refusal(opening)).toMatch(/^FORBIDDEN/);
  law.rights = new Law().rights;
  expect(law.when(opening).event).toBeDefined();
});
