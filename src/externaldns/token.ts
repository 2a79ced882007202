/**
 * The token the adapter shows to the service: given once, or read from a file that may change.
 *
 * A file is read for every call, which is some a minute: so a token that was replaced, by renaming a link as
 * Kubernetes does too, is used from the next call on. While the file can not be read the last one stands.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Log } from '../telemetry/log.ts';
import { type AdapterSettings, AdapterSettingsError } from './settings.ts';

export interface TokenSource {
  /** Undefined when the service asks for none. */
  current(): Promise<string | undefined>;
}

export function tokenSource(
  { token, tokenFile }: Pick<AdapterSettings, 'token' | 'tokenFile'>,
  log: Log,
): TokenSource {
  if (tokenFile === undefined) {
    if (token !== undefined && !isToken(token)) {
      throw new AdapterSettingsError('the token is not one word of visible characters');
    }
    return { current: async () => token };
  }
  let last = firstToken(tokenFile);
  return {
    async current() {
      try {
        const now = tokenIn(await readFile(tokenFile, 'utf8'));
        if (now !== last) log.info('external-dns.token-changed', { file: tokenFile });
        last = now;
      } catch (error) {
        log.warn('external-dns.token-not-read', { file: tokenFile, error });
      }
      return last;
    },
  };
}

function firstToken(file: string): string {
  try {
    return tokenIn(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AdapterSettingsError(`the token file ${file} can not be used: ${reason}`);
  }
}

function tokenIn(text: string): string {
  const token = text.trim();
  if (!isToken(token)) throw new Error('it does not hold one token and nothing else');
  return token;
}

/** One word: a header can hold nothing else. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
