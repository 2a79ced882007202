/** The media type of the webhook and what a caller may say about it (RFC 9110 8.3 and 12.5.1). */
import { badRequest } from './refusal.ts';

/** Exactly as the controller compares it. */
export const webhookType = 'application/external.dns.webhook+json;version=1';

interface MediaRange {
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function parseRange(text: string): MediaRange {
  const [essence = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = rest.map((part) => {
    const [name = '', value = ''] = part.split('=', 2).map((side) => side.trim());
    return [name, value.replace(/^"(.*)"$/, '$1')] as const;
  });
  return { essence, parameters: new Map(parameters) };
}

function isOurs({ essence, parameters }: MediaRange): boolean {
  const version = parameters.get('version');
  return (
    essence === 'application/external.dns.webhook+json' &&
    (version === undefined || version === '1')
  );
}

/** An Accept that leaves no room for the type of the webhook is 406. */
export function requireAccepted(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return;
  const isAccepted = accept
    .split(',')
    .map(parseRange)
    .some((range) => {
      if (Number(range.parameters.get('q') ?? 1) === 0) return false;
      return range.essence === '*/*' || range.essence === 'application/*' || isOurs(range);
    });
  if (!isAccepted) throw badRequest(`only ${webhookType} is served here`, 406);
}

/** A body is of the webhook's type, JSON, or of no type that is told. */
export function requireReadable(contentType: string | undefined): void {
  if (contentType === undefined || contentType.trim() === '') return;
  const range = parseRange(contentType);
  if (isOurs(range) || range.essence === 'application/json') return;
  throw badRequest(`the body must be ${webhookType}, not '${contentType.slice(0, 80)}'`, 415);
}
