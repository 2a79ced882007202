/**
 * Whom an https URL is trusted by: the authorities Node trusts (NODE_EXTRA_CA_CERTS adds to them)
 * and those of `--ca-file`. A certificate that fails is told apart from a service that is not there.
 */
import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { CliFailure, exitCode } from './exit-code.ts';
import { readText } from './input.ts';

/** Certificates in PEM; a key or a chain file with more in it is read past. */
const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Every authority to trust when `file` is added; fails when the file holds no certificate. */
export async function authoritiesWith(file: string): Promise<string[]> {
  const added = (await readText(file)).match(certificateBlock) ?? [];
  if (added.length === 0 || !added.every(isCertificate)) {
    const hint = '--ca-file takes a file of certificates in PEM form';
    throw new CliFailure(exitCode.failure, `${file} holds no certificate that can be read`, hint);
  }
  return [...getCACertificates('default'), ...added];
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

const caHint = "give the authority's certificate with --ca-file, or in NODE_EXTRA_CA_CERTS";

/** Codes of OpenSSL and Node for a certificate that does not convince, with what is to be done. */
const refusals: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
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

/** Why a certificate is not trusted; undefined when the error is another one. */
export function refusalOfCertificate(
  error: NodeJS.ErrnoException,
): { readonly reason: string; readonly hint: string } | undefined {
  const found = refusals[error.code ?? ''];
  return found === undefined ? undefined : { reason: found[0], hint: found[1] };
}
