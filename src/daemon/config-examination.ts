/**
 * What a look at the files that a configuration names, and at its listeners together, finds: every key may be fine by
 * itself and the service not start all the same.
 */
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { createSecureContext } from 'node:tls';
import { certificatesIn } from '../base/certificates.ts';
import { canonicalAddress } from '../outbound/address.ts';
import type { ZoneQueries } from '../query/zone-queries.ts';
import { type Config, ConfigError, type ConfigProblem } from './config.ts';

/** ConfigError with everything that keeps a service from starting. */
export function examineForStart(config: Config): void {
  refuse([...fileProblems(config), ...listenerProblems(config)]);
}

/** The same, and what others would run into: listeners that nobody knows where to find. */
export function examineDeployment(config: Config): void {
  const unknown = (['api', 'dns'] as const).filter((section) => config[section].listenPort === 0);
  const problems = unknown.map((section) => ({
    key: `${section}.listen_port`,
    problem: '0 takes any free port, another one with each start: nobody knows where it listens',
    allowed: 'a port from 1 to 65535',
  }));
  refuse([...fileProblems(config), ...listenerProblems(config), ...problems]);
}

/** ConfigError when a zone that is stored has the name of the catalog. */
export function requireNoZoneNamed(
  catalogZoneName: string,
  zones: Pick<ZoneQueries, 'byName'>,
): void {
  if (zones.byName(catalogZoneName) === undefined) return;
  refuse([
    {
      key: 'dns.catalog_zone_name',
      problem: `a zone of the name '${catalogZoneName}' is stored`,
      allowed: 'a name of its own',
    },
  ]);
}

function refuse(problems: readonly ConfigProblem[]): void {
  if (problems.length > 0) throw new ConfigError(problems);
}

function fileProblems({ api, outbound }: Config): ConfigProblem[] {
  return [...tlsProblems(api), ...authorityProblems(outbound)];
}

function authorityProblems({ caFile }: Config['outbound']): ConfigProblem[] {
  if (caFile === undefined) return [];
  const key = 'outbound.ca_file';
  const problems: ConfigProblem[] = [];
  const text = textOf(key, caFile, 'certificate', problems)?.toString();
  try {
    if (text !== undefined) certificatesIn(text);
  } catch (error) {
    const problem = `${caFile} can not be used: ${(error as Error).message}`;
    problems.push({ key, problem, allowed: 'a file of PEM certificates' });
  }
  return problems;
}

function tlsProblems({ tlsCertFile, tlsKeyFile }: Config['api']): ConfigProblem[] {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return [];
  const problems: ConfigProblem[] = [];
  const certificate = textOf('api.tls_cert_file', tlsCertFile, 'certificate chain', problems);
  const key = textOf('api.tls_key_file', tlsKeyFile, 'private key', problems);
  if (certificate === undefined || key === undefined) return problems;
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({
      key: 'api.tls_cert_file',
      problem: `${tlsCertFile} and ${tlsKeyFile} can not be used together: ${reason}`,
      allowed: 'a PEM certificate chain and its PEM private key, without a passphrase',
    });
  }
  return problems;
}

function textOf(
  key: string,
  path: string,
  what: string,
  problems: ConfigProblem[],
): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? 'no such file' : (error as Error).message;
    const problem = `${path} cannot be read: ${reason}`;
    problems.push({ key, problem, allowed: `a readable file with a PEM ${what}` });
    return undefined;
  }
}

/** HTTP and DNS both listen on TCP, so they can not share an address and a port. */
function listenerProblems({ api, dns }: Config): ConfigProblem[] {
  if (api.listenPort === 0 || api.listenPort !== dns.listenPort || !overlap(api, dns)) return [];
  const { listenAddr, listenPort } = dns;
  return [
    {
      key: 'dns.listen_port',
      problem: `${listenAddr} port ${listenPort} over TCP is where the HTTP interface listens too (api.listen_addr ${api.listenAddr})`,
      allowed: 'another port than api.listen_port, or another address',
    },
  ];
}

function overlap(one: Config['api'], other: Config['dns']): boolean {
  const addresses = [one.listenAddr, other.listenAddr].map(canonicalAddress);
  const [first, second] = addresses as [string, string];
  // The wildcard of IPv6 takes IPv4 along.
  if (first === second || addresses.includes('::')) return true;
  return addresses.includes('0.0.0.0') && !addresses.some((address) => isIPv6(address));
}
