/** Pebble, an authority for certificates by ACME (RFC 8555) that is made for tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificates } from './certificates.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { endProcess } from './processes.ts';

interface AuthorityOptions {
  /** Where its files go, `ca.pem` among them, which vouches for its HTTPS. */
  readonly folder: string;
  /** Of its directory, `https://127.0.0.1:PORT/dir`. */
  readonly port: number;
  /** The server on this host that it asks for challenges. */
  readonly dnsPort: number;
}

export class AcmeAuthority {
  readonly directory: string;
  readonly #child: ChildProcess;

  private constructor(directory: string, child: ChildProcess) {
    this.directory = directory;
    this.#child = child;
  }

  static async start({ folder, port, dnsPort }: AuthorityOptions): Promise<AcmeAuthority> {
    const { certificate, key } = makeCertificates(folder, 'IP:127.0.0.1');
    const config = join(folder, `pebble-${port}.json`);
    const pebble = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${await freePort()}`,
      certificate,
      privateKey: key,
      httpPort: await freePort(),
      tlsPort: await freePort(),
    };
    writeFileSync(config, JSON.stringify({ pebble }));
    const args = ['-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`];
    const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' };
    const child = spawn(peer('pebble')!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    await listening(child);
    return new AcmeAuthority(`https://127.0.0.1:${port}/dir`, child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child);
  }
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk;
      if (said.includes('Listening on')) resolve();
    };
    child.stdout!.on('data', hear);
    child.stderr!.on('data', hear);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`pebble ended: ${said}`)));
  });
}
