/**
 * Without tokens whoever can make a browser of this network send requests could do everything. So then a
 * request names the service by an address, by `localhost` or by the configured name, which no other site can
 * point here (DNS rebinding), and does not come from a page of another origin.
 */
import { isIP } from 'node:net';
import { Problem } from '../base/problem.ts';
import { headerOf, type HttpContext } from './request-source.ts';
import type { HttpOptions } from './services.ts';

export function requireOwnHost(
  context: HttpContext,
  { authenticationRequired, hostName }: HttpOptions,
): void {
  if (authenticationRequired || context.env?.door === 'local') return;
  const host = headerOf(context, 'host');
  // Calls within the process name none.
  if (host === undefined) return;
  const name = nameOf(host);
  if (isIP(name) === 0 && name !== 'localhost' && name !== hostName) {
    throw new Problem(
      'FORBIDDEN',
      `Host '${host.slice(0, 100)}' is not this service: without authentication it is reached by an address ` +
        'or by api.host_name',
    );
  }
  const origin = headerOf(context, 'origin');
  if (
    origin !== undefined &&
    origin.replace(/^https?:\/\//i, '').toLowerCase() !== host.toLowerCase()
  ) {
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
