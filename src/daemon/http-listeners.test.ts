import { expect, it } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';
import { localSocketPath } from './http-listeners.ts';
import { serve } from './serve.ts';

it('a socket may have a path of 107 bytes and no more', () => {
  const longest = `/tmp/${'x'.repeat(88)}`;
  expect(Buffer.byteLength(localSocketPath(longest))).toBe(107);
  expect(() => localSocketPath(`${longest}x`)).toThrow(ConfigError);
});

it('bytes are counted, not characters', () => {
  expect(() => localSocketPath(`/tmp/${'ä'.repeat(50)}`)).toThrow('a path of 119 bytes');
});

it('the service refuses to start, naming data_dir and the limit, and makes nothing', async () => {
  const dataDir = `/nonexistent/${'x'.repeat(100)}`;
  expect(loadConfig({ env: {}, cwd: '/', overrides: { dataDir } }).dataDir).toBe(dataDir);
  await expect(serve({ dataDir })).rejects.toThrow(
    /^the configuration is unusable\n {2}data_dir: its socket would be \/nonexistent\/x+\/zonebook\.sock, a path of 127 bytes; allowed: a folder whose socket has a path of at most 107 bytes$/,
  );
});
