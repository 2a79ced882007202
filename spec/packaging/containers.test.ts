/** The container and the compose example: what they say fits the program, and the pages of secondaries. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configKeys, variableOf } from '../../src/daemon/config-keys.ts';
import { needsPeers, peer } from '../support/peers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const containerfile = read('scripts/packaging/Containerfile');
const composeText = read('scripts/packaging/compose/compose.yaml');
const compose = parse(composeText);

/** The block of a page whose fence names it. */
function blockOf(page: string, name: string): string {
  const pattern = new RegExp(`^\`\`\`${name}\n([\\s\\S]*?)^\`\`\``, 'm');
  return pattern.exec(read(`spec/manual/secondaries/${page}.md`))![1]!;
}

describe('the Containerfile', () => {
  it('sets only what is a setting, and keeps the data in its volume', () => {
    const variables = [...containerfile.matchAll(/\b(ZONEBOOK_\w+)=(\S+)/g)];
    const known = configKeys.map(variableOf);
    for (const [, name] of variables) expect(known).toContain(name);
    const dataDir = variables.find(([, name]) => name === 'ZONEBOOK_DATA_DIR')![2];
    expect(containerfile).toContain(`VOLUME ${dataDir}\n`);
    expect(containerfile).toContain(`install -d -o zonebook -g zonebook -m 0700 ${dataDir}\n`);
  });

  it('does not run as root, and takes nothing of the checkout but the executable', () => {
    expect(containerfile).toMatch(/^USER zonebook$/m);
    const copied = [...containerfile.matchAll(/^COPY (\S+)/gm)].map(([, path]) => path);
    const ignored = read('scripts/packaging/Containerfile.dockerignore');
    const [everything, ...taken] = ignored.split('\n').filter((line) => /^[*!]/.test(line));
    expect(everything).toBe('*');
    expect(taken.map((line) => line.slice(1))).toEqual(copied);
  });

  it('asks the service itself whether it is healthy', () => {
    const [, asked] = /^HEALTHCHECK .*CMD (.*)$/m.exec(containerfile)!;
    expect(JSON.parse(asked!)).toEqual(['/usr/bin/zonebook', 'status']);
    // The upgrade of a large database takes long, and one that is ended there begins again.
    expect(containerfile).toMatch(/^HEALTHCHECK .*--start-period=24h /m);
  });

  it('opens the ports that the program has by default', () => {
    const opened = /^EXPOSE (.*)$/m.exec(containerfile)![1]!.split(' ');
    expect(opened).toEqual(['3000/tcp', '5300/udp', '5300/tcp']);
  });
});

describe('the compose example', () => {
  const { zonebook, named, knotd } = compose.services;

  it('has the secondaries configured as their pages say', () => {
    expect(read('scripts/packaging/compose/named.conf')).toBe(blockOf('bind', 'named.conf'));
    const page = blockOf('knot', 'knot.conf').replace('192.0.2.53@53', '192.0.2.54@53');
    expect(read('scripts/packaging/compose/knot.conf')).toBe(page);
  });

  it('gives each server the address that the others know', () => {
    expect(zonebook.networks.dns.ipv4_address).toBe('192.0.2.1');
    for (const secondary of [named, knotd]) {
      const address = secondary.networks.dns.ipv4_address;
      expect(composeText).toContain(`secondary create ns${secondary === named ? 2 : 3}`);
      expect(composeText).toContain(`--address ${address}:53\n`);
    }
    expect(compose.networks.dns.ipam.config[0].subnet).toBe('192.0.2.0/24');
  });

  it('keeps the data in a volume and drops every capability', () => {
    expect(zonebook.volumes).toEqual(['zonebook:/var/lib/zonebook']);
    expect(Object.keys(compose.volumes)).toEqual(['zonebook']);
    expect(zonebook.cap_drop).toEqual(['ALL']);
  });
});

needsPeers('named-checkconf', 'knotc')('the configurations of the compose example', () => {
  it('are accepted by the servers', () => {
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-compose-'));
    try {
      // The folders of Debian's packages, which need not be on this machine.
      const here = (text: string) => text.replaceAll(/\/(?:var\/cache|var\/lib|run)\/\w+/g, folder);
      for (const [file, program, ...words] of [
        ['named.conf', 'named-checkconf'],
        ['knot.conf', 'knotc', '-c', '{}', 'conf-check'],
      ]) {
        const path = join(folder, file!);
        writeFileSync(path, here(read(`scripts/packaging/compose/${file}`)));
        const given = words.length === 0 ? [path] : words.map((word) => word.replace('{}', path));
        execFileSync(peer(program!)!, given, { stdio: 'pipe' });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
