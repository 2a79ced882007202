/**
 * Writes: what one is before it is made, and what is said after it. Every write is previewed by the dry run of the
 * interface, so that the rules are those of the service alone.
 */
import { signal } from '@preact/signals';
import { ask, type Diff, get, type Warning, type Zone, zonePath } from './api.ts';

export interface Write {
  /** What it does, in words: `Delete www.example.com A`. */
  readonly title: string;
  /** What its button says. */
  readonly button: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Undefined where the interface takes none; then the dry run is asked for by the query. */
  readonly body?: object;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The zone that must be as the preview saw it. */
  readonly zone?: string;
  /** False where the interface has none: then the preview says nothing of it. */
  readonly hasDryRun?: false;
  /** A zone that it makes, or whose address it ends. */
  readonly leadsTo?: string;
}

/** What a dry run, and the write itself, answer: as much as they have. */
export interface Outcome {
  readonly diff?: Diff;
  readonly warnings?: readonly Warning[];
  readonly summary?: Readonly<Record<string, number | boolean>>;
  readonly zone?: Zone;
  readonly new_serial?: number;
}

export interface Previewed {
  readonly outcome: Outcome;
  /** The entity tag of the zone that the preview saw. */
  readonly etag: string | undefined;
}

/** The write that is being previewed. */
export const pending = signal<Write | undefined>(undefined);
/** Counts writes, so that what is on the page is asked for again. */
export const writeCount = signal(0);

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly href: string | undefined;
}

export const toasts = signal<readonly Toast[]>([]);

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** What the write would do; the zone's state is read before, so that a change in between is noticed. */
export async function preview(write: Write): Promise<Previewed> {
  const etag = write.zone === undefined ? undefined : await etagOf(write.zone);
  if (write.hasDryRun === false) return { outcome: {}, etag };
  return { outcome: await send(write, { dry_run: true }, {}), etag };
}

async function etagOf(zone: string): Promise<string | undefined> {
  let etag: string | undefined;
  await ask('GET', zonePath(zone), {
    onHeaders: (headers) => {
      etag = headers.get('etag') ?? undefined;
    },
  });
  return etag;
}

/** Makes the write, unless the zone has changed since its preview. */
export async function apply(
  write: Write,
  { etag }: Previewed,
  why: { readonly reason: string; readonly reference: string },
): Promise<void> {
  const headers: Record<string, string> = {};
  if (etag !== undefined) headers['if-match'] = etag;
  if (why.reason !== '') headers['zonebook-reason'] = encoded(why.reason);
  if (why.reference !== '') headers['zonebook-reference'] = encoded(why.reference);
  await send(write, {}, headers);
  writeCount.value++;
  const id = writeCount.value;
  toasts.value = [...toasts.value, { id, text: await outcomeText(write), href: write.leadsTo }];
}

async function outcomeText({ title, zone }: Write): Promise<string> {
  if (zone === undefined) return `${title}: done.`;
  const { serial } = (await get<{ zone: Zone }>(zonePath(zone))).zone;
  return `${title}: done. ${zone} has serial ${serial}.`;
}

function send(
  { method, path, body, query = {} }: Write,
  dry: { readonly dry_run?: true },
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  if (body !== undefined) return ask(method, path, { body: { ...body, ...dry }, query, headers });
  const dryQuery = dry.dry_run === undefined ? {} : { dry_run: 'true' };
  return ask(method, path, { query: { ...query, ...dryQuery }, headers });
}

const printable = /^[\x20-\x7e]*$/;

/** Text beyond ASCII in a header (RFC 8187). */
function encoded(text: string): string {
  return printable.test(text) ? text : `UTF-8''${encodeURIComponent(text)}`;
}
