/**
 * Addresses: every screen, filter and moment is in the address, so that reload, back, a new tab and a shared link give
 * the same. Paths are below the one that the console is served at.
 */
import { computed, signal } from '@preact/signals';

/** The script is beside the page. */
const base = new URL('.', import.meta.url).pathname.slice(0, -1);

/** The address as it is now; written by `go` and by the browser's back and forward alone. */
const address = signal(new URL(location.href));

/** The parts of the path behind it, decoded: `['zones', 'example.com', 'records']`. */
export const path = computed(() => {
  const parts = address.value.pathname.slice(base.length).split('/');
  return parts.filter((part) => part !== '').map(decoded);
});

/** A stray percent sign, as of an address that was typed, stays what it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Parameters that are instants, and their form (RFC 3339). */
const instants: ReadonlySet<string> = new Set(['at', 'since', 'until']);
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** A parameter of the address; '' when it is missing, and for an instant that is none. */
export function parameter(name: string): string {
  const text = rawParameter(name);
  return isReadable(name, text) ? text : '';
}

/** Instants of the address that are none, as they are there: a link that was cut, or was typed. */
export const unreadable = computed(() =>
  [...instants]
    .map((name) => [name, rawParameter(name)] as const)
    .filter((each) => !isReadable(...each)),
);

function rawParameter(name: string): string {
  return address.value.searchParams.get(name) ?? '';
}

function isReadable(name: string, text: string): boolean {
  if (text === '' || !instants.has(name)) return true;
  return instantForm.test(text) && !Number.isNaN(Date.parse(text));
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** The address of a screen. The moment goes along from screen to screen. */
export function hrefOf(parts: readonly string[], parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  const all: Parameters = { at: parameter('at'), ...parameters };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return `${base}/${parts.map(encodeURIComponent).join('/')}${search}`;
}

/** The address of this screen with other parameters; those that are not named stay. */
export function hrefWith(parameters: Parameters): string {
  const kept = Object.fromEntries(address.value.searchParams);
  return hrefOf(path.value, { ...kept, ...parameters });
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  address.value = new URL(location.href);
}

/** To be called later; does nothing where another screen is open by then: what was typed on one is not for the next. */
export function onlyHere(act: () => void): () => void {
  const { pathname } = address.value;
  return () => {
    if (address.value.pathname === pathname) act();
  };
}

/** Follows links of the console without loading the page again. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    address.value = new URL(location.href);
  });
  document.addEventListener('click', (event) => {
    const isUnmodified = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const link = (event.target as Element).closest('a');
    if (!isUnmodified || event.button !== 0 || link === null || link.target !== '') return;
    if (link.hasAttribute('download') || link.origin !== location.origin) return;
    // A place in the page is the browser's to go to.
    if (!`${link.pathname}/`.startsWith(`${base}/`) || link.hash !== '') return;
    event.preventDefault();
    go(link.href);
  });
}
