/**
 * Contexts: services by name, so that a command says `--context office` instead of a URL, a token and an authority.
 * They are kept in one file of the user (XDG_CONFIG_HOME, else ~/.config), which names files of tokens and no token.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readText, type Environment } from './environment.ts';
import { CliFailure, exitCode, usageFailure } from './failure.ts';
import type { GlobalValues } from './parse.ts';
import { writeNewFile } from './new-file.ts';

export interface SavedContext {
  readonly url: string;
  /** Absolute paths. */
  readonly token_file?: string;
  readonly ca_file?: string;
}

export interface SavedContexts {
  /** The one that commands use which name none. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, SavedContext>>;
}

/** The service of this host, by its local socket. */
export const localContext = 'local';

type Variables = Pick<Environment, 'env'>;

/** Undefined where there is no home. */
function fileOf({ env }: Variables): string | undefined {
  const folder = env.XDG_CONFIG_HOME || (env.HOME && join(env.HOME, '.config'));
  return folder ? join(folder, 'zonebook/contexts.json') : undefined;
}

export async function readContexts(services: Variables): Promise<SavedContexts> {
  const none = { current: null, contexts: {} };
  const file = fileOf(services);
  if (file === undefined) return none;
  if (!existsSync(file)) return none;
  const text = await readText(file);
  const saved = parsed(text);
  if (isSaved(saved)) return saved;
  const hint = "mend it or remove it, then use 'zonebook context add' again";
  throw new CliFailure(exitCode.configurationUnusable, `${file} holds no contexts`, hint);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSaved(value: unknown): value is SavedContexts {
  if (typeof value !== 'object' || value === null) return false;
  const { current, contexts } = value as Partial<SavedContexts>;
  if (current !== null && typeof current !== 'string') return false;
  if (typeof contexts !== 'object' || contexts === null) return false;
  const isText = (text: unknown) => typeof text === 'string';
  return Object.values(contexts).every(
    (each) => typeof each === 'object' && isText(each?.url) && Object.values(each).every(isText),
  );
}

/** Replaces the file as a whole. */
export async function writeContexts(services: Variables, saved: SavedContexts): Promise<void> {
  const file = fileOf(services);
  if (file === undefined) {
    throw new CliFailure(exitCode.failure, 'there is no home to keep contexts in: HOME is not set');
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.partial-${process.pid}`;
  await rm(fresh, { force: true });
  await writeNewFile(fresh, `${JSON.stringify(saved, null, 2)}\n`);
  await rename(fresh, file);
}

/**
 * The options with those of the context that is meant: `--context`, ZONEBOOK_CONTEXT, or the current one where nothing
 * else says which service. What is given beside a context goes before it.
 */
export async function withContext(
  globals: GlobalValues,
  services: Variables,
): Promise<GlobalValues> {
  const named = globals.context ?? (services.env.ZONEBOOK_CONTEXT || undefined);
  const { url, dataDir, config } = globals;
  const elsewhere = url ?? dataDir ?? config ?? (services.env.ZONEBOOK_URL || undefined);
  if (globals.context !== undefined && elsewhere !== undefined) {
    throw usageFailure('--context excludes --url, --data-dir, --config and ZONEBOOK_URL');
  }
  let found: SavedContext | undefined;
  if (elsewhere === undefined && named !== localContext) {
    const { current, contexts } = await readContexts(services);
    const name = named ?? current;
    found = name === null ? undefined : contexts[name];
    if (name !== null && found === undefined) {
      const hint = "'zonebook context list' shows those that there are";
      throw new CliFailure(exitCode.notFound, `there is no context '${name}'`, hint);
    }
  }
  const token = await tokenOf(globals, services, found);
  return { ...globals, url: url ?? found?.url, caFile: globals.caFile ?? found?.ca_file, token };
}

/** `--token`, then `--token-file`, ZONEBOOK_TOKEN, and the file of the context. */
async function tokenOf(
  { token, tokenFile }: GlobalValues,
  { env }: Variables,
  context: SavedContext | undefined,
): Promise<string | undefined> {
  if (token !== undefined && tokenFile !== undefined) {
    throw usageFailure('--token and --token-file exclude each other');
  }
  if (token !== undefined) return token;
  const file = tokenFile ?? (env.ZONEBOOK_TOKEN ? undefined : context?.token_file);
  if (file === undefined) return undefined;
  const secret = (await readText(file)).trim();
  if (/^\S+$/.test(secret)) return secret;
  throw new CliFailure(exitCode.failure, `${file} has to hold a token and nothing else`);
}

/** What is kept of an option that names a file. */
export function absolute(file: string | undefined): string | undefined {
  return file === undefined ? undefined : resolve(file);
}
