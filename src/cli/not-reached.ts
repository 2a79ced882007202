/** Services that no answer came from: where they are, why, and what to do about it. */
import { dirname } from 'node:path';
import { CliFailure, exitCode } from './failure.ts';

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

/** As people call it: the path of its socket or its URL. */
export function addressOf(target: Target): string {
  return target.kind === 'socket' ? target.path : target.url.href.replace(/\/+$/, '');
}

/** A service that no answer came from, and what to do about it; `isWrite`: it may have done what was asked. */
export async function notReached(
  target: Target,
  error: NodeJS.ErrnoException,
  isWrite: boolean,
): Promise<CliFailure> {
  const isLate = error.code === 'ETIMEDOUT';
  const reason = isLate ? error.message : (error.code ?? error.message);
  const unknown = isWrite && !isOfConnecting(error) ? unknownChange : '';
  return target.kind === 'url'
    ? urlNotReached(target, reason, unknown)
    : socketNotReached(target, reason, unknown, isLate || reason === 'EAGAIN');
}

/** What is said of a write that may have been done. */
export const unknownChange = '; whether it has made the change is not known';

/** Nothing was sent. Node gives the errors of several addresses as one. */
function isOfConnecting(error: NodeJS.ErrnoException): boolean {
  return error instanceof AggregateError || /^(connect|getaddrinfo)$/.test(error.syscall ?? '');
}

function failure(message: string, hint: string): CliFailure {
  return new CliFailure(exitCode.serviceNotReachable, message, hint);
}

function urlNotReached(target: Target, reason: string, unknown: string): CliFailure {
  const address = addressOf(target);
  const distrust = distrusted[reason];
  if (distrust !== undefined) {
    const [why, hint] = distrust;
    return failure(`the certificate of ${address} is not trusted: ${why}`, hint);
  }
  if (reason === 'EPROTO' || reason.startsWith('ERR_SSL_')) {
    const hint = 'write http:// when the service has no certificate';
    return failure(`${address} does not answer in TLS`, hint);
  }
  if (unknown !== '') {
    const hint = 'look at what it has before you repeat the command';
    return failure(`no answer came from ${address}: ${reason}${unknown}`, hint);
  }
  const hint = 'check --url or ZONEBOOK_URL, and that the service runs there';
  return failure(`${address} can not be reached: ${reason}`, hint);
}

async function socketNotReached(
  { path }: { readonly path: string },
  reason: string,
  unknown: string,
  isLate: boolean,
) {
  if (reason === 'EACCES' || reason === 'EPERM') {
    const hint = 'run the command as the user of the service, or use --url and --token';
    return new CliFailure(exitCode.denied, `${path} belongs to another user`, hint);
  }
  const dataDir = dirname(path);
  const { isFolderLocked } = await import('../journal/database.ts');
  const isRunning = isLate || isFolderLocked(dataDir);
  const isAbsent = reason === 'ENOENT' || reason === 'ECONNREFUSED';
  if (isRunning && isAbsent) {
    return failure(
      `a zonebook process has the folder ${dataDir}, but none answers at ${path}`,
      'one that is starting or stopping is done in a moment; restart it if its socket was deleted',
    );
  }
  if (isRunning) {
    return failure(
      `the service at ${path} is there, but does not answer: ${reason}${unknown}`,
      'it may be stopped, stuck or out of file descriptors: look at its process and its log, and restart it',
    );
  }
  return failure(
    isAbsent
      ? `no service is running at ${path}`
      : `the service at ${path} can not be reached: ${reason}${unknown}`,
    "start it with 'zonebook serve', or name its folder with --data-dir, or its --url",
  );
}
