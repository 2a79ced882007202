/**
 * Which service a command asks: the one on this host over its socket, or one elsewhere by its URL.
 *
 * An https URL is trusted by the authorities Node trusts (NODE_EXTRA_CA_CERTS adds to them) and those of
 * `--ca-file`. A certificate that fails is told apart from a service that is not there.
 */
import { getCACertificates } from 'node:tls';
import { certificatesIn } from '../base/certificates.ts';
import { problemOfSocketPath, socketPathOf } from '../base/socket-path.ts';
import { CliFailure, exitCode, usageFailure } from './failure.ts';
import { readText } from './input.ts';
import type { GlobalValues } from './parse.ts';
import type { CliServices } from './environment.ts';

/** Where the service is. */
export type Target =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'url';
      readonly url: URL;
      readonly token: string | undefined;
      /** Who may vouch for an https URL, in PEM; undefined for whom Node trusts. */
      readonly authorities?: readonly string[] | undefined;
    };

/** `--url`, else ZONEBOOK_URL; undefined means the local socket. */
export function urlOf(globals: GlobalValues, { env }: CliServices): string | undefined {
  return globals.url ?? (env.ZONEBOOK_URL || undefined);
}

export async function findTarget(globals: GlobalValues, services: CliServices): Promise<Target> {
  const written = urlOf(globals, services);
  if (written === undefined) return findSocket(globals, services);
  const url = parseUrl(written);
  const token = globals.token ?? (services.env.ZONEBOOK_TOKEN || undefined);
  if (globals.caFile === undefined) return { kind: 'url', url, token };
  if (url.protocol !== 'https:') {
    throw usageFailure(`--ca-file goes with an https URL, which '${written}' is not`);
  }
  return { kind: 'url', url, token, authorities: await authoritiesWith(globals.caFile) };
}

async function findSocket(globals: GlobalValues, services: CliServices): Promise<Target> {
  if (globals.token !== undefined) {
    throw usageFailure('--token goes with --url: the local socket needs none');
  }
  if (globals.caFile !== undefined) {
    throw usageFailure('--ca-file goes with --url: the local socket has no certificate');
  }
  const { dataDir } = await services.loadConfig({ file: globals.config, dataDir: globals.dataDir });
  const found = problemOfSocketPath(dataDir);
  if (found === undefined) return { kind: 'socket', path: socketPathOf(dataDir) };
  const { key, problem, allowed } = found;
  const message = `${key}: ${problem}; allowed: ${allowed}`;
  throw new CliFailure(exitCode.configurationUnusable, message);
}

function parseUrl(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usageFailure(
    `'${written}' is no URL of a service`,
    'write it like http://127.0.0.1:3000, in --url or ZONEBOOK_URL',
  );
}

/** Every authority to trust when `file` is added; fails when the file holds no certificate. */
async function authoritiesWith(file: string): Promise<string[]> {
  const text = await readText(file);
  try {
    return [...getCACertificates('default'), ...certificatesIn(text)];
  } catch {
    const hint = '--ca-file takes a file of certificates in PEM form';
    throw new CliFailure(exitCode.failure, `${file} holds no certificate that can be read`, hint);
  }
}

const caHint = "give the authority's certificate with --ca-file, or in NODE_EXTRA_CA_CERTS";

/** Codes of OpenSSL and Node for a certificate that does not convince, with what is to be done. */
const distrusted: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['it is self-signed', caHint],
  SELF_SIGNED_CERT_IN_CHAIN: ['its authority is not known here', caHint],
  UNABLE_TO_GET_ISSUER_CERT: ['its authority is not known here', caHint],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['its authority is not known here', caHint],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its authority is not known here', caHint],
  CERT_UNTRUSTED: ['its authority is not trusted for servers', caHint],
  CERT_HAS_EXPIRED: ['it has expired', 'renew it on the service, and check the clock here'],
  CERT_NOT_YET_VALID: ['it is not valid yet', 'check the clocks here and there'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'it is for another name',
    'ask the service by a name that is in its certificate',
  ],
};

export function addressOf(target: Target): string {
  return target.kind === 'socket' ? target.path : target.url.href.replace(/\/+$/, '');
}

/** A service that no answer came from, and what to do about it. */
export function notReached(target: Target, error: NodeJS.ErrnoException): CliFailure {
  const failure = (message: string, hint: string) =>
    new CliFailure(exitCode.serviceNotReachable, message, hint);
  const reason = error.code === 'ETIMEDOUT' ? error.message : (error.code ?? error.message);
  const address = addressOf(target);
  if (target.kind === 'url') {
    const distrust = distrusted[reason];
    if (distrust !== undefined) {
      const [why, hint] = distrust;
      return failure(`the certificate of ${address} is not trusted: ${why}`, hint);
    }
    if (reason === 'EPROTO' || reason.startsWith('ERR_SSL_')) {
      const hint = 'write http:// when the service has no certificate';
      return failure(`${address} does not answer in TLS`, hint);
    }
    const hint = 'check --url or ZONEBOOK_URL, and that the service runs there';
    return failure(`${address} can not be reached: ${reason}`, hint);
  }
  if (reason === 'EACCES' || reason === 'EPERM') {
    const hint = 'run the command as the user of the service, or use --url and --token';
    return new CliFailure(exitCode.denied, `${address} belongs to another user`, hint);
  }
  const isStopped = reason === 'ENOENT' || reason === 'ECONNREFUSED';
  return failure(
    isStopped
      ? `no service is running at ${address}`
      : `the service at ${address} can not be reached: ${reason}`,
    "start it with 'zonebook serve', or name its folder with --data-dir, or its --url",
  );
}
