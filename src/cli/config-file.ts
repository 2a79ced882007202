/** Which configuration file a command reads, for messages that have to name it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CliServices, Place } from './services.ts';

/** Undefined when there is none: then all that can be wrong are variables and arguments. */
export function configFileOf({ file }: Place, { env }: CliServices): string | undefined {
  const named = file ?? (env.ZONEBOOK_CONFIG || undefined) ?? 'zonebook.toml';
  const path = resolve(named);
  return existsSync(path) ? path : undefined;
}
