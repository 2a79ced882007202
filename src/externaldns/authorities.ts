/** Who may vouch for the certificate of the service: the roots of the system and those of a file. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { AdapterSettingsError } from './settings.ts';

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** In PEM, what Node brings along included: a container often has no roots of its own. */
export function trustedAuthorities(file: string | undefined): readonly string[] {
  const added = file === undefined ? [] : certificatesIn(file);
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...added])];
}

function certificatesIn(file: string): string[] {
  try {
    const found = readFileSync(file, 'utf8').match(certificateBlock) ?? [];
    for (const certificate of found) new X509Certificate(certificate);
    if (found.length > 0) return [...found];
    throw new Error('it holds no certificate in PEM form');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AdapterSettingsError(`the CA file ${file} can not be used: ${reason}`);
  }
}
