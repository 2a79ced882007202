/** Browsers that are logged in, as the console is: with the rights of a token, by a cookie. */
import * as v from 'valibot';
import { token } from './access.ts';
import { described, message, optional, pageQuery, shape, text, time } from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';

/**
 * How a browser proves its session. Only what came over HTTPS or from loopback may set a cookie of this prefix, for
 * this host alone (RFC 6265bis).
 */
export const sessionCookie = { type: 'apiKey', in: 'cookie', name: '__Host-zonebook' } as const;

const hostUser = v.nullable(v.object({ name: v.string(), uid: v.number() }));
const exampleTime = '2026-01-31T12:00:00.000Z';

export const session = shape({
  id: [v.string(), '9f8a6c3e5d414c1b'],
  token_name: [
    v.nullable(v.string()),
    'ci',
    'The token whose rights it has; null for a user of the host.',
  ],
  user: [hostUser, null, 'The user of the host who let it in, with full rights.'],
  opened_at: [time, exampleTime],
  last_used_at: [time, exampleTime],
  expires_at: [time, '2026-02-01T00:00:00.000Z', 'Unless it is used again, at most.'],
  address: [v.string(), '127.0.0.1', 'The address that it was opened from.'],
  agent: [v.nullable(v.string()), 'Mozilla/5.0', 'What the browser called itself.'],
});

const sessionAnswer = v.object({ session });

const self = v.object({
  session: described(v.nullable(session), 'Null for a caller without a cookie.'),
  token: described(v.nullable(token), 'Null for a user of the host, and where no token is needed.'),
});

export const loginCode = shape({
  code: [v.string(), 'u0Vbq1nXv6yS8l5pJ2mWcT4rK9gD7hF3aZxQeYiOoPk'],
  expires_at: [time, '2026-01-31T12:01:00.000Z'],
  console_path: [
    v.nullable(v.string()),
    '/console',
    'Where the console is served; null where it is not.',
  ],
});

export const sessionRoutes = resource('sessions', {
  openSession: defineRoute('POST /session', {
    admission: { by: 'anyone' },
    summary: 'Log a browser in',
    description:
      'With a token, or with a code that was made a moment ago. The answer sets the cookie `__Host-zonebook`, ' +
      'which browsers take over HTTPS and from loopback. Whoever comes by it writes from pages of this service only.',
    body: v.strictObject({ token: optional(text), code: optional(text) }),
    exampleBody: { token: 'zb_Tg0Wb3SgJcYl7mV9nQx2fR5kHd8pLs1aZeUi4oBy' },
    ...answers(201, 'It is logged in.', sessionAnswer, { session: session.example }),
    problems: ['FORBIDDEN', 'INVALID_TOKEN', 'RATE_LIMITED'],
  }),

  getOwnSession: defineRoute('GET /session', {
    admission: { by: 'token' },
    summary: 'Tell who is calling',
    description: 'By the cookie of a session, or by a token, which has no session.',
    ...answers(200, 'The session and the token of the caller.', self, {
      session: session.example,
      token: token.example,
    }),
  }),

  closeOwnSession: defineRoute('DELETE /session', {
    admission: { by: 'token' },
    summary: 'Log out',
    description: 'Ends the session of the cookie; its token stays valid.',
    ...answers(200, 'It is logged out, and the cookie is deleted.', message, {
      message: 'logged out',
    }),
    problems: ['SESSION_NOT_FOUND'],
  }),

  createLoginCode: defineRoute('POST /session/codes', {
    admission: { by: 'token' },
    summary: 'Make a code that logs a browser in',
    description:
      'Once, within a minute, with the rights of the caller. At the local socket these are all rights.',
    ...answers(201, 'The code, presented this once.', loginCode, loginCode.example),
    problems: ['FORBIDDEN', 'OVERLOADED'],
  }),

  listSessions: defineRoute('GET /sessions', {
    action: 'access:manage',
    admission: { by: 'token' },
    summary: 'List the browsers that are logged in',
    description: 'Empty for callers without the action.',
    query: pageQuery,
    ...pageOf(session, session.example, 'A page of sessions, the newest first.'),
  }),

  closeSession: defineRoute('DELETE /sessions/{id}', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Log a browser out',
    ...answers(200, 'It is logged out.', message, {
      message: "session '9f8a6c3e5d414c1b' closed",
    }),
    problems: ['SESSION_NOT_FOUND'],
  }),
});
