/** Browsers that log in and out. */
import { formatTime } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import { sessionRoutes, session as sessionSchema } from '../contract/sessions.ts';
import { token as tokenSchema } from '../contract/access.ts';
import { noSession } from '../domain/access/decide-session.ts';
import { seesAccess } from '../domain/access/visibility.ts';
import type { StoredSession } from '../keystore/session-table.ts';
import { pageOfAll } from '../projection/page.ts';
import { json } from './answer.ts';
import type { Caller } from './authenticate.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { type Holder, type Logins, optionsOf } from './login.ts';

const presentSession = presenter(sessionSchema);
const presentToken = presenter(tokenSchema);

export const sessionEndpoints = endpoints(sessionRoutes, {
  async openSession({ body, client, requestId }, { logins }) {
    const { token, code } = body;
    if ((token === undefined) === (code === undefined)) {
      throw new Problem('INVALID_INPUT', 'token, code: exactly one of them is needed');
    }
    const from = client();
    const holder = logins.holderBy({ token: token ?? undefined, code: code ?? undefined });
    if (typeof holder === 'string') return logins.refuse(holder, from, requestId);
    const { stored, cookie } = await logins.open(holder, from, requestId);
    return json(201, { session: viewOf(stored, holder, logins) }, { 'Set-Cookie': cookie });
  },

  getOwnSession({ caller, view }, { logins }) {
    const { actor, session } = caller;
    const own = session && viewOf(session, holderOf(caller, session, logins), logins);
    const token = actor === null ? null : presentToken(view.access.ownToken(actor));
    return json(200, { session: own ?? null, token });
  },

  async closeOwnSession(request, { logins }) {
    const { session } = request.caller;
    if (session === undefined) throw new Problem('SESSION_NOT_FOUND', 'the call has no session');
    const holder = holderOf(request.caller, session, logins);
    const options = optionsOf(holder, request.requestId, 'logs out');
    const bySession = logins.submittedBy(session);
    await logins.close(session, holder, { ...options, session: bySession });
    return json(200, { message: 'logged out' }, { 'Set-Cookie': logins.clearing });
  },

  createLoginCode({ caller, view }, { logins, options }) {
    // A session would outlive itself by it.
    if (caller.session !== undefined) {
      throw new Problem('FORBIDDEN', 'a session makes no codes: ask with the token');
    }
    const token = caller.actor === null ? null : view.access.ownToken(caller.actor);
    const { code, until } = logins.createCode({ token, user: caller.localUser ?? null });
    const path = options.consoleEnabled ? options.consolePath : null;
    return json(201, { code, expires_at: formatTime(until), console_path: path });
  },

  listSessions(request, { logins }) {
    const all = seesAccess(request.caller.rights) ? logins.list() : [];
    const listed = pageOfAll(all, request.page, ({ openedAt, id }) => [-openedAt, id]);
    return json(
      200,
      presentList(listed, request, (each) => viewOf(each, each, logins)),
    );
  },

  async closeSession(request, { logins }) {
    const { id } = request.params;
    const session = logins.list().find((each) => each.id === id);
    if (session === undefined) throw noSession(id);
    await logins.close(session, session, request.submitOptions);
    return json(200, { message: `session '${id}' closed` });
  },
});

function holderOf({ localUser }: Caller, session: StoredSession, logins: Logins): Holder {
  return logins.holderOf(session) ?? { token: null, user: localUser ?? null };
}

function viewOf(session: StoredSession, { token }: Holder, logins: Logins) {
  return presentSession({
    ...session,
    tokenName: token?.name ?? null,
    lastUsedAt: logins.lastUseOf(session),
    expiresAt: logins.endOf(session),
  });
}
