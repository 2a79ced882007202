/** The pages of clients are true: their commands are run with the real programs, like those of README. */
import { delimiter, dirname } from 'node:path';
import { buildCertManager } from '../../scripts/cert-manager/build.ts';
import { buildDnscontrol } from '../../scripts/dnscontrol/build.ts';
import { buildOctodns } from '../../scripts/octodns/build.ts';
import { AcmeAuthority } from '../support/acme-authority.ts';
import { sampleOf } from '../support/long.ts';
import { isEveryPeerNeeded } from '../support/peers.ts';
import type { PageRun } from '../support/console-page.ts';
import { testPage } from '../support/tested-page.ts';

const ports = ['3000', '5300'];

/** Puts programs that were built for this on PATH, where peers are looked for. */
async function provide(folder: Promise<string>): Promise<void> {
  try {
    process.env.PATH = [await folder, process.env.PATH].join(delimiter);
  } catch (error) {
    console.warn(`not built here: ${String(error)}`);
  }
}

await provide(buildOctodns().then(dirname));
await provide(buildDnscontrol());
await provide(buildCertManager());

/** Asks the service itself for challenges. */
function authority(run: PageRun): Promise<AcmeAuthority> {
  const portOf = (written: string) => Number(run.asActual(written));
  return AcmeAuthority.start({
    folder: run.folder,
    port: portOf('14000'),
    dnsPort: portOf('5300'),
  });
}

const page = (name: string) => `spec/manual/clients/${name}.md`;
const withAuthority = [...ports, '14000'];

const tests = [
  () => testPage(page('nsupdate'), ports),
  () => testPage(page('dnspython'), ports),
  () =>
    testPage(
      page('lego'),
      withAuthority,
      { LEGO_CA_CERTIFICATES: 'ca.pem' },
      { beside: authority },
    ),
  () =>
    testPage(
      page('certbot'),
      withAuthority,
      { REQUESTS_CA_BUNDLE: 'ca.pem' },
      { beside: authority },
    ),
  () => testPage(page('cert-manager'), ports),
  () => testPage(page('kea'), [...ports, '53001']),
  () => testPage(page('octodns'), ports),
  () => testPage(page('dnscontrol'), ports),
  () => testPage(page('terraform'), ports),
];
// Where every program has to be there, every page is tested.
const drawn = isEveryPeerNeeded ? [...tests.keys()] : sampleOf([...tests.keys()], 4);
for (const at of drawn) tests[at]!();
