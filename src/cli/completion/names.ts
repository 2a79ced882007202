/**
 * Names that the service knows, for the word that is being typed.
 *
 * Nobody waits long for a completion, and nobody reads its errors: a service that does not answer at once,
 * or does not say, has no names.
 */
import type { Listing } from '../answers.ts';
import { Client, type QueryValues } from '../client.ts';
import type { GlobalValues } from '../parse.ts';
import type { CliServices } from '../services.ts';
import { findTarget } from '../target.ts';
import type { Candidate, NamedKind } from './candidates.ts';

/** Names shown at most. */
const namesShown = 200;
/** Milliseconds to wait for them. */
const patienceMs = 1500;

interface NamedThing {
  readonly name: string;
  readonly description?: string | null;
}

const paths: Readonly<Record<NamedKind, string>> = {
  zone: '/zones',
  'deleted-zone': '/zones',
  secondary: '/secondaries',
  role: '/roles',
  token: '/tokens',
  'tsig-key': '/tsig-keys',
  'dnssec-policy': '/dnssec-policies',
};

export async function namesOf(
  of: NamedKind,
  typed: string,
  globals: GlobalValues,
  services: CliServices,
): Promise<Candidate[]> {
  try {
    const client = new Client(await findTarget(globals, services));
    try {
      return await ask(client, of, typed.toLowerCase());
    } finally {
      client.close();
    }
  } catch {
    return [];
  }
}

async function ask(client: Client, of: NamedKind, typed: string): Promise<Candidate[]> {
  const isZone = of === 'zone' || of === 'deleted-zone';
  // Only zones are many, and only they can be searched for; the search finds names in the middle too.
  const query: QueryValues = {
    limit: 1000,
    ...(isZone && typed !== '' ? { search: typed } : {}),
    ...(of === 'deleted-zone' ? { deleted: true } : {}),
  };
  const { status, body } = await client.send('GET', paths[of], query, undefined, {
    withinMs: patienceMs,
  });
  if (status !== 200) return [];
  const names = (body as Listing<NamedThing>).items
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({ word: name, meaning: description ?? '' }));
  return names.slice(0, namesShown);
}
