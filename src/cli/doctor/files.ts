/**
 * Files of the service: its own and nobody else's. The folder has mode 0700, what is in it 0600, and all
 * of it one owner; a key of TLS may be read by its group.
 */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { socketPathOf } from '../../base/socket-path.ts';
import type { LoadedConfig } from '../services.ts';
import { type Finding, type Findings, fail, ok } from './finding.ts';

const check = 'files';

interface PrivateFile {
  readonly path: string;
  /** Permissions that nobody but the owner may have. */
  readonly forbidden: number;
  readonly wanted: string;
  /** Whether it belongs to whom the folder belongs to. */
  readonly owned: boolean;
}

const alone = { forbidden: 0o077, wanted: '600', owned: true } as const;

export async function* checkFiles({ dataDir, settings }: LoadedConfig): Findings {
  const folder = statOf(dataDir);
  if (folder === undefined) {
    const advice = 'start the service, which makes it, or name its folder with --data-dir';
    yield fail(check, `there is no folder ${dataDir}`, advice);
    return;
  }
  const database = join(dataDir, 'zonebook.db');
  const tlsKey = settings['api.tls_key_file'];
  const files: PrivateFile[] = [
    { path: dataDir, forbidden: 0o077, wanted: '700', owned: true },
    ...['', '-wal', '-shm'].map((suffix) => ({ ...alone, path: `${database}${suffix}` })),
    { ...alone, path: String(settings['dnssec.key_encryption_file']) },
    { ...alone, path: socketPathOf(dataDir) },
    ...(typeof tlsKey === 'string'
      ? [{ path: tlsKey, forbidden: 0o007, wanted: '640', owned: false }]
      : []),
  ];
  let seen = 0;
  const found: Finding[] = [];
  for (const file of files) {
    const stats = statOf(file.path);
    if (stats === undefined) continue;
    seen++;
    found.push(...problemsOf(file, stats, folder.uid));
  }
  if (found.length > 0) yield* found;
  else yield ok(check, `${seen} files looked at: nobody but the service can read or open them`);
}

function* problemsOf(file: PrivateFile, stats: Stats, owner: number): Generator<Finding> {
  const { path, forbidden, wanted, owned } = file;
  if ((stats.mode & forbidden) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    yield fail(check, `${path} has mode ${mode}: others can use it`, `chmod ${wanted} ${path}`);
  }
  if (owned && stats.uid !== owner) {
    const message = `${path} belongs to user ${stats.uid}, its folder to user ${owner}`;
    yield fail(check, message, `chown ${owner} ${path}`);
  }
}

/** Undefined when there is no such file. */
function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
