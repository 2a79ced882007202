/** Services that no answer came from: where they are, why, and what to do about it. */
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
