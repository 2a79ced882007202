/** What each screen lists or shows, as one read of the HTTP interface: so that it can be asked for elsewhere too. */
import { zonePath } from './api.ts';
import type { HttpRequest } from './command-lines.ts';
import { eventsOf } from './deleted.ts';
import { eventQuery } from './parts/event-filters.tsx';
import { recordQuery } from './parts/record-filter.tsx';
import { zoneQuery } from './parts/zone-filters.tsx';
import { parameter } from './router.ts';

type Query = Readonly<Record<string, string>>;

/** These parameters of the address, which the interface calls the same. */
function asAddressed(...names: readonly string[]): Query {
  return Object.fromEntries(names.map((name) => [name, parameter(name)]));
}

const screens: Readonly<Record<string, readonly [path: string, queryOf?: () => Query]>> = {
  zones: ['/zones', zoneQuery],
  changes: ['/events', () => ({ zone: parameter('zone'), ...eventQuery() })],
  secondaries: ['/secondaries'],
  access: ['/tokens'],
  bin: ['/zones', () => ({ deleted: 'true' })],
  health: ['/health'],
  search: ['/search', () => asAddressed('q', 'at')],
};

/** Below the path of the zone; without a path it is the list that is asked for the zone. */
function readOfTab(zone: string, tab: string): readonly [path: string, query: Query] {
  switch (tab) {
    case 'timeline':
      return ['/events', { zone, ...asAddressed('name', 'type'), ...eventQuery() }];
    case 'compare': {
      const from = parameter('from') || parameter('at');
      const sides = { at: from, to_at: parameter('to') };
      const query = { ...sides, ...asAddressed('name', 'type', 'value', 'actor') };
      return [zonePath(zone, '/versions/diff'), query];
    }
    case 'text':
      return [zonePath(zone, '/export'), asAddressed('at')];
    case 'dnssec':
      return [zonePath(zone, '/dnssec'), {}];
    case 'secondaries':
      return [zonePath(zone, '/status'), {}];
    case 'settings':
      return [zonePath(zone), asAddressed('at')];
    default:
      return ['/records', { zone_name: zone, ...recordQuery(), ...asAddressed('at') }];
  }
}

/** The same of one of the bin, whose number is in the address. */
function readOfDeleted(name: string, id: string, tab: string): readonly [string, Query] {
  const ofIt = { deleted_id: id };
  const inPath = { versions: '/versions', records: '/export', text: '/export' }[tab];
  if (inPath !== undefined) return [zonePath(name, inPath), { ...ofIt, ...asAddressed('at') }];
  const [path, { zone: _, ...query }] = readOfTab(name, tab);
  if (tab === 'compare') return [path, { ...query, ...ofIt }];
  const owner = eventsOf({ name }, parameter('name')).name;
  if (tab === 'timeline') return [path, { ...query, zone_id: id, name: owner }];
  return ['/zones', { deleted: 'true', search: name }];
}

function readOfAddress([first = 'zones', name, third, tab = 'records']: readonly string[]):
  | readonly [path: string, query: Query]
  | undefined {
  if (first === 'zones' && name !== undefined) return readOfTab(name, third ?? 'records');
  if (first === 'bin' && name !== undefined) return readOfDeleted(name, third ?? '', tab);
  const role = first === 'access' ? parameter('role') : '';
  if (role !== '') return [`/roles/${encodeURIComponent(role)}`, {}];
  return readOf(first);
}

/** Undefined where no single read has what the screen shows. */
export function readOfScreen(parts: readonly string[]): HttpRequest | undefined {
  const [path, given] = readOfAddress(parts) ?? [];
  if (path === undefined || given === undefined) return undefined;
  // Two zones are compared by another request, which has a body.
  const isOfTwo = given.at === '' || parameter('with') !== '';
  if (path.endsWith('/versions/diff') && isOfTwo) return undefined;
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return { method: 'GET', path, query, headers: {} };
}

function readOf(screen: string): readonly [path: string, query: Query] | undefined {
  const found = screens[screen];
  return found && [found[0], found[1]?.() ?? {}];
}
