/**
 * The request as it was received: headers, ids and numbers of its path, from Node's own objects where there are any.
 *
 * Behind @hono/node-server the web Request is a proxy; reading the IncomingMessage under it spares
 * building Headers and streams, which is most of what a small request costs. Tests that call the app
 * in-process have a web Request only.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { Problem } from '../base/problem.ts';
import { type Moment, parseMoment } from '../contract/fields.ts';
import { parseCursor, type RrsetCursor } from '../query/rrset-cursor.ts';
import type { NamedZone } from './view/zones.ts';

/** What a server passes beside a request. */
export interface Bindings {
  /** `local` for the socket that only the host's administrator can open. */
  readonly via?: 'local' | 'network';
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  /** Aborted when the service stops. */
  readonly stopping?: AbortSignal;
}

export type HttpContext = Context<{ Bindings: Bindings }>;

/** A header's value; undefined when it is missing. Several of one name come joined. */
export function headerOf(context: HttpContext, name: string): string | undefined {
  const incoming = context.env?.incoming;
  if (incoming === undefined) return context.req.raw.headers.get(name) ?? undefined;
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The address the request came from, IPv4 in its own form; calls within the process have none. */
export function clientAddressOf(context: HttpContext): string {
  const address = context.env?.incoming?.socket.remoteAddress ?? '';
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** The part of the URL after the question mark. */
export function queryStringOf(context: HttpContext): string {
  const url = context.req.url;
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

const harmless = /^[A-Za-z0-9._:+/=@-]{1,128}$/;

/** The id of a request: the caller's own when it is harmless to log and echo, else a new one. */
export function requestIdOf(context: HttpContext): string {
  const given = headerOf(context, 'x-request-id');
  return given !== undefined && harmless.test(given) ? given : randomUUID();
}

/** The version that a query names, by a moment or by a serial beside it; undefined when it names none. */
export function momentOf(at: string | undefined, serial?: string | number): Moment | undefined {
  if (typeof serial === 'number') return { serial };
  const text = at ?? serial;
  return text === undefined ? undefined : parseMoment(text);
}

/** What a page begins behind, with `count` numbers; undefined for the first page. */
export function cursorIn(text: string | undefined, count = 0): RrsetCursor | undefined {
  if (text === undefined) return undefined;
  const cursor = parseCursor(text, count);
  if (cursor !== undefined) return cursor;
  throw new Problem('INVALID_INPUT', "'cursor' must be the next_cursor of a page");
}

/** The zone that a path names, or a deleted one by the query. */
export function zoneNamed({ params, query }: NamingRequest): NamedZone {
  return { name: params.name, deletedId: query.deleted_id };
}

interface NamingRequest {
  readonly params: { readonly name: string };
  readonly query: { readonly deleted_id?: number | undefined };
}

/** The same of a field of a body; INVALID_INPUT for a text that names none. */
export function momentIn(field: string, text: string | null | undefined): Moment | undefined {
  const moment = text ? parseMoment(text.trim()) : undefined;
  if (!text || moment !== undefined) return moment;
  const rule = 'must be a serial or a time like 2026-01-31T12:00:00Z';
  throw new Problem('INVALID_INPUT', `${field}: ${rule}`);
}

const digits = /^-?\d{1,10}$/;

/** An identifier in a path: an int32, or INVALID_INPUT. */
export function parseId(text: string): number {
  const id = digits.test(text) ? Number(text) : Number.NaN;
  if (id === (id | 0)) return id;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not an id; ids are whole numbers`);
}

/** A serial in a path, from 0 to the greatest int32, or a tag that stands for one; else INVALID_INPUT. */
export function parseTaggedSerial(text: string): Moment {
  const moment = parseMoment(text);
  if (moment !== undefined && !('at' in moment)) return moment;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not a serial`);
}
