/** Headers of requests and answers, as the OpenAPI document describes them. */
import { answerHeaders } from '../base/answer-headers.ts';
import { limits } from '../base/limits.ts';
import { canWait, needsToken, problemsOf, type Route } from './route.ts';

/** A value of the document. */
export type JsonObject = { [key: string]: unknown };

/** One tag of If-Match and If-None-Match (RFC 9110 8.8.3). */
const entityTag = '(?:W/)?"[!#-~]*"';
const etagRule = 'Zone id and serial, like "1-7".';
const text = { type: 'string' };

/** Headers of answers. Those that every answer has are required of it. */
export const headers = {
  ...Object.fromEntries(
    Object.entries(answerHeaders).map(([name, value]) => [
      name,
      { description: `Mostly \`${value}\`.`, required: true, schema: text },
    ]),
  ),
  'X-Request-Id': {
    description: 'The one of the request, else a new one; in the log and in the history.',
    required: true,
    schema: { type: 'string', maxLength: 128 },
  },
  ETag: { description: etagRule, required: true, schema: text },
  Allow: { description: 'The methods of this path.', required: true, schema: text },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750 3).',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Preference-Applied': { description: 'The preference followed (RFC 7240 3).', schema: text },
  'Retry-After': {
    description: 'Seconds until trying again makes sense.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Accept-Encoding': {
    description: 'Where it is the coding of the body that is not taken (RFC 7694).',
    schema: text,
  },
} as const;

export type HeaderName = keyof typeof headers | keyof typeof answerHeaders;

const always = [...Object.keys(answerHeaders), 'X-Request-Id'] as HeaderName[];

/** Headers that answers of a status have besides. */
const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  415: ['Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export function headersOfAnswer(status: number, own: readonly HeaderName[] = []): JsonObject {
  const names = [...always, ...(headersOfStatus[status] ?? []), ...own];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A character in UTF-8 as RFC 8187 writes its bytes; controls and surrogates are none. */
const encodedCharacter = [
  '[0-9A-Za-z!#$&+^_`|~.-]',
  '%[2-6][0-9A-F]|%7[0-9A-E]',
  '%C2%[AB][0-9A-F]|%(?:C[3-9A-F]|D[0-9A-F])%[89AB][0-9A-F]',
  '%E[13-9A-C](?:%[89AB][0-9A-F]){2}',
].join('|');

/** Headers of many writes (http/why.ts), described once. */
export const parameters = {
  'Zonebook-Reason': whyHeader(
    'Zonebook-Reason',
    limits.reasonCharacters,
    'Why; returned in history and versions.',
    'moves to the new rack',
  ),
  'Zonebook-Reference': whyHeader(
    'Zonebook-Reference',
    limits.referenceCharacters,
    'Where to read more about it: a ticket, an address.',
    'OPS-1234',
  ),
  'Zonebook-Allow-Deletes': {
    name: 'Zonebook-Allow-Deletes',
    in: 'header',
    required: false,
    description: 'As many deletions as the refusal GUARDED counted, so that they are let through.',
    example: 412,
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: 9_999_999_999 },
  },
  Prefer: preferHeader(),
};

const parameterOf = (name: keyof typeof parameters) => ({
  $ref: `#/components/parameters/${name}`,
});
const whyHeaders = [parameterOf('Zonebook-Reason'), parameterOf('Zonebook-Reference')];

function whyHeader(name: string, maxLength: number, what: string, example: string): JsonObject {
  const description = `${what} Beyond ASCII in the form of RFC 8187: UTF-8''f%C3%BCr.`;
  const encoded = { pattern: `^UTF-8'[A-Za-z0-9-]*'(?:${encodedCharacter}){0,${maxLength}}$` };
  const schema = { type: 'string', anyOf: [{ pattern: `^[ -~]{0,${maxLength}}$` }, encoded] };
  return { name, in: 'header', required: false, description, example, schema };
}

const lastEventId: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event that the client has.',
  example: '7',
  schema: { type: 'string', pattern: '^(?:[0-9]{1,10}-)?[0-9]{1,15}$' },
};

/** What an answer waits for and leaves out (http/prefer.ts). */
function preferHeader(leftOut: readonly string[] = []): JsonObject {
  const minimal =
    leftOut.length === 0 ? '' : ` With return=minimal it has no ${leftOut.join(', no ')}.`;
  const description =
    'RFC 7240. With wait=30 the answer waits up to 30 seconds until every enabled secondary serves the ' +
    'change, and has `propagated`; that is null, and nothing was waited for, where too many wait already.' +
    minimal;
  const example = 'wait=30';
  return { name: 'Prefer', in: 'header', required: false, description, example, schema: text };
}

function preferences(route: Route): JsonObject[] {
  if (route.leftOut !== undefined) return [preferHeader(route.leftOut)];
  return canWait(route) ? [parameterOf('Prefer')] : [];
}

export function headerParametersOf(route: Route): JsonObject[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    example: '"1-7"',
    schema: { type: 'string', pattern: `^(?:\\*|${entityTag}(?: *, *${entityTag})*)$` },
  });
  return [
    ...(route.tagged ? [header('If-None-Match', 'ETag for which 304 is answered.')] : []),
    ...(route.success.mediaType === 'text/event-stream' ? [lastEventId] : []),
    ...(route.method === 'GET' || !needsToken(route) ? [] : whyHeaders),
    ...(problemsOf(route).includes('GUARDED') ? [parameterOf('Zonebook-Allow-Deletes')] : []),
    ...(route.conditional
      ? [header('If-Match', `ETag the zone must still have, else 412. ${etagRule}`)]
      : []),
    ...preferences(route),
  ];
}
