/**
 * Pages name the versions of the programs that their commands, or tests of what they say, are run with. Each is
 * compared with the program on this machine, so that another version makes the test of its page fail.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { certManagerVersion } from '../../scripts/cert-manager/build.ts';
import { dnscontrolVersion } from '../../scripts/dnscontrol/build.ts';
import { externalDnsVersion } from '../../scripts/external-dns/build.ts';
import { litestreamVersion } from '../../scripts/litestream/build.ts';
import { octodnsVersions } from '../../scripts/octodns/build.ts';
import { needsPeers } from '../support/peers.ts';
import { packageVersionOf, versionOf } from '../support/program-versions.ts';

interface TestedProgram {
  /** In the folder of the manual. */
  readonly page: string;
  /** What the page calls it, in front of its version. */
  readonly name: string;
  readonly peers: readonly string[];
  readonly version: () => string;
}

/** The programs of a page, each with what is needed to ask it for its version. */
function on(
  page: string,
  programs: Readonly<Record<string, readonly [version: () => string, ...peers: string[]]>>,
): TestedProgram[] {
  return Object.entries(programs).map(([name, [version, ...peers]]) => {
    return { page, name, peers, version };
  });
}

const pebble = [() => packageVersionOf('pebble'), 'pebble', 'dpkg-query'] as const;
const dnspython = ['-c', 'import dns.version; print(dns.version.version)'];
const certbotPlugin = '`certbot-dns-rfc2136`';

const tested: readonly TestedProgram[] = [
  ...on('clients/nsupdate.md', {
    BIND: [() => versionOf('nsupdate', '-V'), 'nsupdate'],
    'Knot DNS': [() => versionOf('knsupdate', '-V'), 'knsupdate'],
  }),
  ...on('clients/dnspython.md', {
    dnspython: [() => versionOf('dnspython', ...dnspython), 'dnspython'],
  }),
  ...on('clients/lego.md', {
    // It says `dev` of itself, and pebble nothing.
    lego: [() => packageVersionOf('lego'), 'lego', 'dpkg-query'],
    pebble,
  }),
  ...on('clients/certbot.md', {
    certbot: [() => versionOf('certbot', '--version'), 'certbot'],
    [certbotPlugin]: [
      () => packageVersionOf('python3-certbot-dns-rfc2136'),
      'certbot',
      'dpkg-query',
    ],
    pebble,
  }),
  ...on('clients/kea.md', {
    '`kea-dhcp-ddns`': [() => versionOf('kea-dhcp-ddns', '-v'), 'kea-dhcp-ddns'],
  }),
  ...on('clients/cert-manager.md', { 'cert-manager': [() => certManagerVersion] }),
  ...on('clients/octodns.md', {
    octoDNS: [() => octodnsVersions.program],
    'octodns-bind': [() => octodnsVersions.provider],
  }),
  ...on('clients/dnscontrol.md', { DNSControl: [() => dnscontrolVersion] }),
  ...on('external-dns/README.md', { ExternalDNS: [() => externalDnsVersion] }),
  ...on('operations/README.md', {
    Prometheus: [() => versionOf('prometheus', '--version'), 'prometheus'],
  }),
  ...on('operations/replicas.md', { Litestream: [() => litestreamVersion] }),
  ...on('secondaries/bind.md', { BIND: [() => versionOf('named', '-v'), 'named'] }),
  ...on('secondaries/knot.md', { 'Knot DNS': [() => versionOf('knotd', '-V'), 'knotd'] }),
  ...on('secondaries/nsd.md', { NSD: [() => versionOf('nsd', '-v'), 'nsd'] }),
  ...on('secondaries/powerdns.md', {
    PowerDNS: [() => versionOf('pdns_server', '--version'), 'pdns_server'],
  }),
];

const manual = join(import.meta.dirname, '../manual');
const textOf = (page: string) => readFileSync(join(manual, page), 'utf8');

/** What a page calls the version of a program, where it names the program first: 9.18 of `BIND 9.18`. */
function namedIn(page: string, name: string): string | undefined {
  return new RegExp(`${name} v?(\\d+(?:\\.\\d+)+)`).exec(textOf(page))?.[1];
}

for (const { page, name, peers, version } of tested) {
  needsPeers(...peers)(`${page} names the version of ${name}`, () => {
    it('that the tests run', () => {
      const actual = version().replace(/^v/, '');
      const named = namedIn(page, name);
      const isSame = named !== undefined && `${actual}.`.startsWith(`${named}.`);
      expect(isSame, `${page} names ${name} ${named}; the tests run ${actual}`).toBe(true);
    });
  });
}

/** The cell with the versions, by the page that the row points to. */
const index = new Map(
  [...textOf('clients/README.md').matchAll(/^\| \[[^\]]*\]\(([^)#]*)[^|]*\| ([^|]*) \|/gm)].map(
    ([, link, versions]) => [join('clients', link!), versions!],
  ),
);

/** A program beside the client of its page, which the index leaves out. */
const isBeside = ({ name }: TestedProgram) => [certbotPlugin, 'pebble'].includes(name);
const clients = tested.filter(({ page }) => index.has(page));

it.each(clients.filter((client) => !isBeside(client)))(
  'the index of clients has the version of $name that $page has',
  ({ page, name }) => expect(index.get(page)).toContain(namedIn(page, name)),
);

it('has each client of the index, and each page of one', () => {
  const files = readdirSync(join(manual, 'clients')).filter((file) => file !== 'README.md');
  const pages = files.map((file) => join('clients', file));
  expect([...index.keys()]).toEqual(expect.arrayContaining(pages));
  const untested = 'clients/terraform.md';
  expect(textOf(untested)).toContain('**Not tested with Terraform.**');
  const named = new Set([...tested.map(({ page }) => page), untested]);
  expect([...index.keys()].filter((page) => !named.has(page))).toEqual([]);
});
