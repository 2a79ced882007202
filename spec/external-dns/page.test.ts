/** The page is true: its commands print what it says, and the manifest fits the adapter and the controller. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { optionName } from '../../src/cli/command.ts';
import { adapterFlags } from '../../src/externaldns/flags.ts';
import { adapterSettings } from '../../src/externaldns/settings.ts';
import { leftOutReasons } from '../../src/telemetry/adapter-metrics.ts';
import { testPage } from '../support/tested-page.ts';

const here = fileURLToPath(new URL('../manual/external-dns', import.meta.url));
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
    // The ownership of an apex lies in its zone only where the prefix ends a label.
    expect(controller!.args).toContain('--txt-prefix=%{record_type}-own.');
  });
});

describe('the page', () => {
  it('names every reason for which an endpoint is left out', () => {
    for (const reason of leftOutReasons) expect(page).toContain(`| \`${reason}\` |`);
  });

  it('names every flag, variable and default', () => {
    for (const [name, { variable, fallback }] of Object.entries(adapterFlags)) {
      const flag = `| \`--${optionName(name)}\``;
      const row = page.split('\n').find((line) => line.startsWith(flag));
      expect(row).toContain(`\`${variable}\``);
      if (fallback !== undefined) expect(row).toContain(`\`${fallback}\``);
    }
  });
});

testPage('spec/manual/external-dns/README.md', ['3000', '5300', '8888', '8080'], {
  ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
  SVC_EXTERNAL_DNS_LISTEN_ADDR: '127.0.0.1:8888',
});
