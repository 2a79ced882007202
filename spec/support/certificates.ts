/** Certificates for tests, made by openssl: an authority, and a server it vouches for. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peer } from './peers.ts';

export interface Certificates {
  /** Files in PEM: the authority's certificate, the server's certificate and key. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** `names` as in a certificate: `IP:127.0.0.1`, `DNS:localhost`. */
export function makeCertificates(folder: string, names: string): Certificates {
  const file = (name: string) => join(folder, name);
  const [authority, certificate, key] = ['ca.pem', 'server.pem', 'server.key'].map(file);
  const common = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    ...[...common, '-days', '2', '-subj', '/CN=test authority', '-out', authority!],
    ...['-keyout', file('ca.key')],
  );
  openssl(
    ...[...common, '-days', '2', '-subj', '/CN=test server', '-out', certificate!],
    ...['-keyout', key!, '-CA', authority!, '-CAkey', file('ca.key')],
    ...['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=CA:FALSE'],
  );
  return { authority: authority!, certificate: certificate!, key: key! };
}

/** A certificate of its own key that is valid for the day after a time. */
export function makeCertificateFrom(
  folder: string,
  from: Date,
): Pick<Certificates, 'certificate' | 'key'> {
  const file = (name: string) => join(folder, name);
  const [certificate, key, wanted, settings, index] = [
    ...['later.pem', 'later.key', 'later.csr', 'later.cnf', 'later.index'],
  ].map(file) as [string, string, string, string, string];
  const authority = `[ca]\ndefault_ca = own\n[own]\ndatabase = ${index}\nserial = ${index}.serial\npolicy = any\n`;
  writeFileSync(settings, `${authority}default_md = sha256\n[any]\ncommonName = supplied\n`);
  writeFileSync(index, '');
  const keyOf = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  openssl('req', ...keyOf, '-subj', '/CN=test server', '-out', wanted);
  const time = (date: Date) => date.toISOString().replace(/\.\d+|[-:T]/g, '');
  const until = new Date(from.getTime() + 24 * 3600 * 1000);
  openssl(
    ...['ca', '-batch', '-selfsign', '-create_serial', '-notext', '-config', settings],
    ...['-keyfile', key, '-in', wanted, '-out', certificate, '-outdir', folder],
    ...['-startdate', time(from), '-enddate', time(until)],
  );
  return { certificate, key };
}

function openssl(...words: string[]): void {
  const { status, stderr } = spawnSync(peer('openssl')!, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${words.join(' ')}: ${stderr}`);
}
