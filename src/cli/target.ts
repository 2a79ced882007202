/**
 * Which service a command asks: the one on this host over its socket, or one elsewhere by its URL.
 */
import { problemOfSocketPath, socketPathOf } from '../base/socket-path.ts';
import type { Target } from './client.ts';
import { CliFailure, exitCode, usageFailure } from './exit-code.ts';
import type { GlobalValues } from './parse.ts';
import type { CliServices } from './services.ts';
import { authoritiesWith } from './trust.ts';

/** `--url`, else ZONEBOOK_URL; undefined means the local socket. */
export function urlOf(globals: GlobalValues, { env }: CliServices): string | undefined {
  return globals.url ?? (env.ZONEBOOK_URL || undefined);
}

export async function findTarget(globals: GlobalValues, services: CliServices): Promise<Target> {
  const written = urlOf(globals, services);
  if (written === undefined) return findSocket(globals, services);
  const url = parseUrl(written);
  const token = globals.token ?? (services.env.ZONEBOOK_TOKEN || undefined);
  if (globals.caFile === undefined) return { kind: 'url', url, token };
  if (url.protocol !== 'https:') {
    throw usageFailure(`--ca-file goes with an https URL, which '${written}' is not`);
  }
  return { kind: 'url', url, token, authorities: await authoritiesWith(globals.caFile) };
}

async function findSocket(globals: GlobalValues, services: CliServices): Promise<Target> {
  if (globals.token !== undefined) {
    throw usageFailure('--token goes with --url: the local socket needs none');
  }
  if (globals.caFile !== undefined) {
    throw usageFailure('--ca-file goes with --url: the local socket has no certificate');
  }
  const { dataDir } = await services.loadConfig({ file: globals.config, dataDir: globals.dataDir });
  const found = problemOfSocketPath(dataDir);
  if (found === undefined) return { kind: 'socket', path: socketPathOf(dataDir) };
  const { key, problem, allowed } = found;
  const message = `${key}: ${problem}; allowed: ${allowed}`;
  throw new CliFailure(exitCode.configurationUnusable, message);
}

function parseUrl(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usageFailure(
    `'${written}' is no URL of a service`,
    'write it like http://127.0.0.1:3000, in --url or ZONEBOOK_URL',
  );
}
