/** The page is true: its commands print what it says, and the manifest fits the adapter and the controller. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { adapterFlags } from '../../src/externaldns/flags.ts';
import { adapterSettings } from '../../src/externaldns/settings.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const page = readFileSync(join(here, 'README.md'), 'utf8');
const variables: ReadonlySet<string> = new Set(
  Object.values(adapterFlags).map(({ variable }) => variable),
);

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

describe('the manifest', () => {
  const documents = parseAllDocuments(readFileSync(join(here, 'deployment.yaml'), 'utf8'));
  const deployment = documents[0]!.toJS();
  const containers: Container[] = deployment.spec.template.spec.containers;
  const [controller, adapter] = containers;

  it('has the adapter beside the controller, on loopback', () => {
    expect(documents.map((document) => document.toJS().kind)).toEqual([
      'Deployment',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
    ]);
    expect(adapter!.args).toEqual(['external-dns']);
    const environment = Object.fromEntries(adapter!.env!.map(({ name, value }) => [name, value]));
    for (const name of Object.keys(environment)) expect(variables).toContain(name);
    const { listen } = adapterSettings({}, environment);
    expect(listen.host).toBe('127.0.0.1');
    expect(controller!.args).toContain(`--webhook-provider-url=http://127.0.0.1:${listen.port}`);
    expect(controller!.args).toContain('--provider=webhook');
    expect(controller!.args).toContain('--registry=txt');
  });
});

describe('the page', () => {
  it('names every flag, variable and default', () => {
    for (const { flag, variable, fallback } of Object.values(adapterFlags)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`--${flag}\``));
      expect(row).toContain(`\`${variable}\``);
      if (fallback !== undefined) expect(row).toContain(`\`${fallback}\``);
    }
  });
});

needsPeers('curl')('the page without a cluster', () => {
  let folder = '';
  const children: ChildProcess[] = [];
  const ports = new Map<string, number>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'zonebook-page-'));
    for (const entry of [
      'package.json',
      'bun.lockb',
      'scripts',
      'src',
      'drizzle',
      'node_modules',
    ]) {
      symlinkSync(join(root, entry), join(folder, entry));
    }
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    for (const port of ['3000', '5300', '8888', '8080']) ports.set(port, await freePort());
    const service = start('ZONEBOOK_API_EXTERNAL_DNS_ENABLED=true scripts/zonebook serve');
    await new Promise<void>((resolve, reject) => {
      let text = '';
      service.stdout!.on('data', (chunk) => {
        text += chunk;
        if (text.includes('is running')) resolve();
      });
      service.once('exit', () => reject(new Error(`the service ended: ${text}`)));
    });
  });

  afterAll(() => {
    for (const { pid } of children) {
      try {
        process.kill(-pid!, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const options = () => ({
    cwd: folder,
    env: {
      ...process.env,
      ZONEBOOK_API_LISTEN_PORT: String(ports.get('3000')),
      ZONEBOOK_DNS_LISTEN_PORT: String(ports.get('5300')),
      SVC_EXTERNAL_DNS_LISTEN_ADDR: `127.0.0.1:${ports.get('8888')}`,
    },
  });

  function start(command: string): ChildProcess {
    const child = spawn('sh', ['-c', command], { ...options(), detached: true });
    children.push(child);
    return child;
  }

  function run(command: string): string {
    const actual = [...ports].reduce(
      (text, [written, used]) => text.replaceAll(`127.0.0.1:${written}`, `127.0.0.1:${used}`),
      command,
    );
    if (actual.endsWith(' &')) {
      start(`exec ${actual.slice(0, -2)}`);
      return '';
    }
    return execFileSync('sh', ['-c', actual], { ...options(), encoding: 'utf8', timeout: 60_000 });
  }

  const blocks = page.matchAll(/<!-- tested: (\w+) -->\n```console\n([\s\S]*?)```/g);
  it.each([...blocks].map(([, title, block]) => [title!, block!]))(
    '%s: prints what it says',
    (_, block) => {
      for (const step of block.split(/^\$ /m).slice(1)) {
        const end = step.includes("<<'END'") ? step.indexOf('\nEND\n') + 5 : step.indexOf('\n') + 1;
        const command = step.slice(0, end).trimEnd();
        expect(run(command).trim(), command).toBe(step.slice(end).trim());
      }
    },
  );
});
