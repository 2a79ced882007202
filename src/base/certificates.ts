/** Certificates of authorities, as files bring them. */
import { X509Certificate } from 'node:crypto';

/** A key, or whatever else is in the file of a chain, is passed over. */
const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Those of a text in PEM; throws when there is none, or one that can not be read. */
export function certificatesIn(text: string): string[] {
  const found = text.match(certificateBlock) ?? [];
  for (const certificate of found) new X509Certificate(certificate);
  if (found.length === 0) throw new Error('it holds no certificate in PEM form');
  return [...found];
}
