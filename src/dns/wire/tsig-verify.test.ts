import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { requestMessage } from '../../../spec/support/dns-messages.ts';
import { parseAbsoluteName } from '../name.ts';
import { findTsig } from './tsig.ts';
import { TsigKey } from './tsig-key.ts';
import { signRequest } from './tsig-sign.ts';
import { verifyRequest } from './tsig-verify.ts';

const compare = vi.spyOn(crypto, 'timingSafeEqual');
syncBuiltinESMExports();
afterAll(() => {
  compare.mockRestore();
  syncBuiltinESMExports();
});

const now = 1_700_000_000;
const key = new TsigKey({
  name: parseAbsoluteName('key.example.com'),
  algorithm: 'hmac-sha256',
  secret: Buffer.alloc(32, 7),
});
const signed = signRequest(requestMessage({ name: 'example.com', type: 'SOA' }), key, now);

beforeEach(() => {
  compare.mockClear();
});

it('case 54: a MAC is compared once and whole, in constant time, wherever it differs', () => {
  const tsig = findTsig(signed)!;
  expect(verifyRequest(signed, tsig, key, now)).toBe('ok');
  for (let byte = 0; byte < tsig.mac.length; byte++) {
    const mac = Buffer.from(tsig.mac);
    mac[byte]! ^= 1;
    expect(verifyRequest(signed, { ...tsig, mac }, key, now)).toBe('BADSIG');
  }
  expect(compare).toHaveBeenCalledTimes(1 + tsig.mac.length);
  for (const [received, computed] of compare.mock.calls) {
    expect([received.byteLength, computed.byteLength]).toEqual([32, 32]);
  }
});

it('case 54: nothing in the room of messages compares MACs in another way', () => {
  for (const file of ['tsig-verify', 'tsig-exchange', 'tsig-sign', 'tsig-key']) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), 'utf8');
    expect(source).not.toMatch(/\.equals\(|\.compare\(|mac\b.*===.*\bmac\b/i);
  }
});
