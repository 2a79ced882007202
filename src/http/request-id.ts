/** Request ids: the caller's own when it is harmless to log and echo, else a new one. */
import { randomUUID } from 'node:crypto';
import { type HttpContext, headerOf } from './request-source.ts';

const harmless = /^[A-Za-z0-9._:+/=@-]{1,128}$/;

export function requestIdOf(context: HttpContext): string {
  const given = headerOf(context, 'x-request-id');
  return given !== undefined && harmless.test(given) ? given : newRequestId();
}

export function newRequestId(): string {
  return randomUUID();
}
