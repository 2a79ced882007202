/**
 * Which zones are meant where many are: those of a list, of a catalog of another server (RFC 9432), of a folder of
 * master files, and those that the service has.
 *
 * A file of a folder is called like its zone: `example.com.zone`, `example.com.db`, `db.example.com` or `example.com`,
 * with `%2f` for a slash. What BIND keeps beside such files is passed over.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { normaliseZoneName } from '../../domain/zone.ts';
import type { DiffEntry, ImportReport, Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import { readAll, type Environment } from '../environment.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { asciiName } from '../field.ts';
import { everyPage, fetchPages } from '../page.ts';

/** The one form of a name: A-labels in small letters, without the last dot. */
function zoneNameOf(text: string): string {
  return normaliseZoneName(asciiName(text));
}

/** The names of a list, one in each line; each once. */
export async function listedNames(file: string, environment: Environment): Promise<string[]> {
  const text = await readAll(file, environment);
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return [...new Set(lines.filter((line) => line !== '').map(zoneNameOf))];
}

/** The names of the zones that the caller sees. */
export async function storedNames(client: Client): Promise<string[]> {
  const { items } = await fetchPages<Zone>(client, '/zones', { sort: 'name' }, everyPage);
  return items.map(({ name }) => name);
}

/** Something for each value of an SOA: nothing is made of it. */
const anySoa = {
  mname: 'invalid',
  rname: 'hostmaster@invalid',
  serial: 1,
  minimum_ttl: 3600,
  refresh: 3600,
  retry: 600,
  expire: 86_400,
};

/** The members of a catalog that the service transfers for us: an import that is tried only. */
export async function catalogMembers(
  name: string,
  source: { readonly from_server: string | undefined; readonly tsig_key_name: string | undefined },
  client: Client,
): Promise<string[]> {
  const body = { ...source, ...anySoa, create: true, skip_unsupported: true };
  const path = `/zones/${segment(name)}/import`;
  const asked = { ...body, dry_run: true, read_catalog: true };
  const report = await client.postFile<ImportReport>(path, asked, () => {});
  const [error] = report.errors;
  if (error !== undefined) throw brokenCatalog(name, error);
  const apex = `${zoneNameOf(name)}.`;
  const { entries } = report.diff;
  const version = entries.find((entry) => entry.name === `version.${apex}` && entry.type === 'TXT');
  if (version === undefined || version.to.length !== 1 || version.to[0]!.value !== '2') {
    throw brokenCatalog(name, 'it has no version 2');
  }
  const ending = `.zones.${apex}`;
  const isMember = (entry: DiffEntry) =>
    entry.type === 'PTR' &&
    entry.name.endsWith(ending) &&
    !entry.name.slice(0, -ending.length).includes('.');
  const members = entries.filter(isMember);
  if (members.find(({ to }) => to.length !== 1) !== undefined) {
    throw brokenCatalog(name, 'a member has several names');
  }
  // Each once, like the names of a list: a broken catalog may name a zone twice.
  return [...new Set(members.map(({ to }) => zoneNameOf(String(to[0]!.value))))];
}

function brokenCatalog(name: string, why: string): CliFailure {
  const message = `'${name}' is no catalog that can be read (RFC 9432): ${why}`;
  return new CliFailure(exitCode.failure, message, 'give the names with --zones');
}

/** A file and the zone that it is called like. */
export interface ZoneFile {
  readonly zone: string;
  readonly path: string;
}

/** What BIND and editors put beside master files: journals, keys, DS sets, what is written anew, copies. */
const besideFiles =
  /^\.|^K.+\.(?:key|private|state)$|^(?:ds|key)set-|\.(?:jnl|jbk|signed|bak|partial(?:-\w+)?)$|~$/;

/** The files of a folder in the order of their names; folders in it are passed over. */
export async function filesOf(folder: string): Promise<ZoneFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const files = names.filter((name) => !besideFiles.test(name)).sort();
  return files.map((name) => ({ zone: zoneOfFile(name), path: join(folder, name) }));
}

function zoneOfFile(name: string): string {
  const stem = /^(.+)\.(?:zone|db)$/.exec(name)?.[1] ?? name.replace(/^db\.(?=.)/, '');
  return zoneNameOf(stem.replaceAll(/%2f/gi, '/'));
}

/** The name of the file that a zone is exported to. */
export function fileOfZone(zone: string): string {
  return `${zone.replaceAll('/', '%2f')}.zone`;
}
