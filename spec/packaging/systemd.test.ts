/** The systemd unit: accepted by systemd, and as closed as it says. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { configKeys } from '../../src/daemon/config-keys.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { startService } from '../support/service.ts';

const folder = fileURLToPath(new URL('../../scripts/packaging', import.meta.url));
const unit = readFileSync(join(folder, 'zonebook.service'), 'utf8');

/** Exposure from 0 to 10 as systemd counts it; its own services are at about 2 to 9. */
const greatestExposure = 1.9;

describe('the unit', () => {
  it('has a user of its own and no right of root but that to low ports', () => {
    const settings = new Map(
      [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]),
    );
    expect(Object.fromEntries(settings)).toMatchObject({
      User: 'zonebook',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      AmbientCapabilities: 'CAP_NET_BIND_SERVICE',
      CapabilityBoundingSet: 'CAP_NET_BIND_SERVICE',
      RestartPreventExitStatus: '6',
    });
    // V8 makes code at run time.
    expect(settings.has('MemoryDenyWriteExecute')).toBe(false);
    expect(settings.get('ExecReload')).toContain('-HUP');
  });

  it('does not end the upgrade of a database that takes long', () => {
    expect(unit).toMatch(/^TimeoutStartSec=infinity$/m);
  });

  it('lets the service write where its configuration puts the data', () => {
    const config = parse(readFileSync(join(folder, 'zonebook.toml'), 'utf8'));
    const [, state] = /^StateDirectory=(.*)$/m.exec(unit)!;
    expect(config).toEqual({ data_dir: `/var/lib/${state}` });
  });

  it('comes with a configuration whose proposals are settings there are', () => {
    const text = readFileSync(join(folder, 'zonebook.toml'), 'utf8');
    // What stands behind a hash and looks like a setting or a table.
    const proposed = parse(text.replaceAll(/^# (?=\[|\w+ = )/gm, ''));
    const paths = Object.entries(proposed).flatMap(([key, value]) =>
      typeof value === 'object' ? Object.keys(value).map((name) => `${key}.${name}`) : [key],
    );
    expect(paths.length).toBeGreaterThan(3);
    const known = configKeys.map(({ path }) => path);
    for (const path of paths) expect(known).toContain(path);
  });
});

needsPeers('systemd-analyze')('systemd', () => {
  it('finds no mistake in the unit', () => {
    const place = mkdtempSync(join(tmpdir(), 'zonebook-unit-'));
    try {
      // It wants the program to be there, whichever it is.
      const program = join(place, 'zonebook');
      writeFileSync(program, '#!/bin/sh\n');
      chmodSync(program, 0o755);
      const file = join(place, 'zonebook.service');
      writeFileSync(file, unit.replace('ExecStart=/usr/bin/zonebook', `ExecStart=${program}`));
      const arguments_ = ['verify', '--man=no', '--recursive-errors=no', file];
      const { status, stdout, stderr } = spawnSync(peer('systemd-analyze')!, arguments_, {
        encoding: 'utf8',
      });
      expect([status, stdout, stderr]).toEqual([0, '', '']);
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  it('counts it among the least exposed services', () => {
    const file = join(folder, 'zonebook.service');
    const output = execFileSync(
      peer('systemd-analyze')!,
      ['security', '--offline=yes', '--no-pager', file],
      { encoding: 'utf8', env: { ...process.env, SYSTEMD_COLORS: '0', COLUMNS: '200' } },
    );
    const [, level] = /exposure level for zonebook\.service: ([\d.]+)/.exec(output)!;
    expect(Number(level)).toBeLessThanOrEqual(greatestExposure);
  });
});

/** Prints each message that comes to a socket of datagrams, which Node can not open. */
const listener = `
import socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1])
print('listening', flush=True)
while True:
    data, fds, flags, sender = socket.recv_fds(heard, 4096, 8)
    for fd in fds: socket.close(fd)
    print(data.decode().strip(), flush=True)
`;

needsPeers('systemd-notify', 'python3')('a service of Type=notify', () => {
  it('says when it is ready, and when it stops', async () => {
    const place = mkdtempSync(join(tmpdir(), 'zonebook-notify-'));
    const socket = join(place, 'notify');
    const hearing = spawn(peer('python3')!, ['-c', listener, socket], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let notified = '';
      hearing.stdout.on('data', (chunk: Buffer) => {
        notified += chunk;
      });
      await once(hearing.stdout, 'data');
      await using service = await startService({ NOTIFY_SOCKET: socket });
      await expect.poll(() => notified).toMatch(/^READY=1$/m);
      expect(notified).not.toContain('STOPPING=1');
      await service.end();
      await expect.poll(() => notified).toMatch(/^STOPPING=1$/m);
      expect(service.output).not.toContain('service.not-notified');
    } finally {
      hearing.kill();
      rmSync(place, { recursive: true });
    }
  });
});
