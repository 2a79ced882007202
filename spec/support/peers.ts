/**
 * Peers: the other DNS programs that the suite compares with and speaks to.
 *
 * A suite that needs a peer says so by `needsPeers`. Where the peer is missing the suite is reported
 * as skipped with its reason; with REQUIRE_PEERS=1 it fails instead, so that a machine meant to run
 * everything cannot quietly run less.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it, type SuiteOptions } from 'vitest';

/** Debian's python; the first one on PATH may be another without the distribution's packages. */
const systemPython = '/usr/bin/python3';

/** Where Debian keeps servers; it is not on everyone's PATH. */
const serverFolder = '/usr/sbin';

const known = new Map<string, string | undefined>();

/** Peers that are found by something else than a program of their name. */
const findOther: Readonly<Record<string, () => string | undefined>> = {
  dnspython: findDnspython,
};

/**
 * The path of a peer's program (`named`, `kdig`), or undefined when it is missing. `dnspython` is
 * the system's python when it has the module `dns`.
 */
export function peer(name: string): string | undefined {
  if (!known.has(name)) known.set(name, (findOther[name] ?? (() => findProgram(name)))());
  return known.get(name);
}

/** Whether this machine is meant to run everything. */
export const isEveryPeerNeeded: boolean = process.env.REQUIRE_PEERS === '1';

type Describe = (title: string, suite: () => void, options?: SuiteOptions) => void;

/**
 * `describe` for a suite that needs these peers: `needsPeers('named', 'dig')('BIND', () => ...)`.
 */
export function needsPeers(...names: string[]): Describe {
  const missing = names.filter((name) => peer(name) === undefined);
  if (missing.length === 0) {
    return (title, suite, options = {}) => void describe(title, options, suite);
  }
  const reason = `missing here: ${missing.join(', ')}`;
  if (isEveryPeerNeeded) {
    return (title) =>
      void describe(title, () => {
        it('has its peers', () => {
          throw new Error(`${reason}; REQUIRE_PEERS=1 demands them`);
        });
      });
  }
  return (title, suite) => void describe.skip(`${title} (${reason})`, suite);
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), serverFolder];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function findDnspython(): string | undefined {
  const found = spawnSync(systemPython, ['-c', 'import dns'], { stdio: 'ignore' });
  return found.status === 0 ? systemPython : undefined;
}
