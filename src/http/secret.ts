/**
 * Secrets of tokens and TSIG keys: made here, returned to their owner, never logged.
 *
 * A token's secret is `zb_` and 40 letters and digits, 238 bits; what is stored is its SHA-256. As
 * a random value of that length can not be guessed, a slow hash would protect nothing more.
 */
import { hash, randomBytes, randomInt } from 'node:crypto';
import { Problem } from '../base/problem.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const tokenCharacters = 40;
const tsigBytes = 32;

export function makeTokenSecret(): string {
  let secret = 'zb_';
  // randomInt draws again what would favour some characters.
  for (let index = 0; index < tokenCharacters; index++) secret += alphabet[randomInt(62)];
  return secret;
}

/** SHA-256 of a token's secret, as the keystore knows it. */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

export function makeTsigSecret(): Buffer {
  return randomBytes(tsigBytes);
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A TSIG secret in base64 (RFC 4648 4), padded and without stray bits. The refusal does not repeat it. */
export function parseTsigSecret(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (base64.test(text) && bytes.toString('base64') === text) return bytes;
  throw new Problem('INVALID_INPUT', 'secret: is not valid base64 (RFC 4648 4)');
}
