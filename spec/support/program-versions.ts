/** Versions of other programs: as they say them of themselves, or their packages do. */
import { spawnSync } from 'node:child_process';
import { peer } from './peers.ts';

const number = /\d+(?:\.\d+)+/;

/** The first version in what a program prints, like 9.18.49 of `nsupdate 9.18.49-1-Debian`. */
export function versionOf(program: string, ...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(peer(program)!, args, { encoding: 'utf8' });
  const said = `${stdout}${stderr}`;
  const found = number.exec(said)?.[0];
  if (found === undefined) throw new Error(`${program} ${args.join(' ')} says no version: ${said}`);
  return found;
}

/** That of a package of Debian, for what does not say its version. */
export function packageVersionOf(name: string): string {
  return versionOf('dpkg-query', '--show', name);
}
