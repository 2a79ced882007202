/** SIGHUP: some keys of the configuration are read again, and the log names those that wait for a start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { startService } from '../support/service.ts';

it('names the keys that changed and that only a start reads, until they are as they were', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-reload-'));
  await using service = await startService({ ZONEBOOK_LOGGING_FORMAT: 'json' }, { dataDir });
  const reconfigured = () =>
    service.output
      .split('\n')
      .filter((line) => line.includes('"service.reconfigured"'))
      .map((line) => JSON.parse(line));
  const reload = async (toml: string) => {
    writeFileSync(join(dataDir, 'zonebook.toml'), toml);
    const before = reconfigured().length;
    process.kill(service.pid, 'SIGHUP');
    await vi.waitUntil(() => reconfigured().length > before, { timeout: patienceMs });
    const { level, needRestart } = reconfigured().at(-1)!;
    return [level, needRestart];
  };
  const read = '[logging]\nlevel = "debug"\n[dns.notify]\nretries = 2\n';
  expect(await reload(read)).toEqual(['info', undefined]);
  const waits = `[api]\nsession_max_days = 3\n[outbound]\ndeny = ["192.0.2.0/24"]\n${read}`;
  expect(await reload(waits)).toEqual(['warn', 'api.session_max_days, outbound.deny']);
  expect(await reload(read)).toEqual(['info', undefined]);
});

it('is heard as soon as systemd is told of the start, and ends no stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-systemd-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'systemd-notify');
  writeFileSync(program, '#!/bin/sh\nkill -HUP "$PPID"\necho "$@" >> "$NOTIFY_SOCKET"\n', {
    mode: 0o755,
  });
  const told = join(folder, 'told');
  await using service = await startService({
    ZONEBOOK_LOGGING_FORMAT: 'json',
    NOTIFY_SOCKET: told,
    PATH: `${folder}:${process.env.PATH}`,
  });
  const reconfigured = () => service.output.match(/"service\.reconfigured"/g)?.length;
  await expect.poll(reconfigured).toBe(1);
  expect(await service.end()).toBe(0);
  expect(readFileSync(told, 'utf8')).toBe('READY=1\nSTOPPING=1\n');
  expect(service.output).toMatch(/"service\.stopped".*"graceful":true/);
  expect(reconfigured()).toBe(1);
});
