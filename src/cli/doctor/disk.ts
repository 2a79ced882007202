/**
 * Room on the disk of the data folder: the database has to grow, and a backup, an upgrade or a large
 * change needs a copy of what it touches for a while.
 */
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedConfig } from '../services.ts';
import { type Findings, fail, ok, skip } from './finding.ts';

const check = 'disk space';

/** Octets that have to be free however small the database is. */
const leastFree = 256 * 1024 * 1024;
/** Files that can still be made; a file system without a limit tells 0 of 0. */
const leastFiles = 100;

export async function* checkDisk({ dataDir }: LoadedConfig): Findings {
  if (statSync(dataDir, { throwIfNoEntry: false }) === undefined) {
    yield skip(check, `there is no folder ${dataDir}`);
    return;
  }
  const { bavail, bsize, files, ffree } = statfsSync(dataDir);
  const free = bavail * bsize;
  const database = join(dataDir, 'zonebook.db');
  const size = statSync(database, { throwIfNoEntry: false })?.size ?? 0;
  const room = `${megabytes(free)} are free at ${dataDir}, the database has ${megabytes(size)}`;
  const advice = 'make room on that file system, or move data_dir to a larger one';
  if (free < Math.max(leastFree, size)) {
    yield fail(check, `${room}: too little for a copy of it and ${megabytes(leastFree)}`, advice);
  } else if (files > 0 && ffree < leastFiles) {
    yield fail(check, `only ${ffree} more files can be made at ${dataDir}`, advice);
  } else {
    yield ok(check, room);
  }
}

function megabytes(octets: number): string {
  return `${Math.floor(octets / 1024 / 1024)} MiB`;
}
