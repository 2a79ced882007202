/**
 * Who signed a request (RFC 8945 5.2): finds the key, verifies the signature, and says how the
 * answer is signed.
 *
 * ```
 *   malformed TSIG, impossible MAC    FORMERR, not signed
 *   unknown key, other algorithm      NOTAUTH with BADKEY, not signed
 *   wrong MAC                         NOTAUTH with BADSIG, not signed
 *   time too far from ours            NOTAUTH with BADTIME, signed, our time beside the client's
 *   MAC shorter than we want          NOTAUTH with BADTRUNC, signed
 *   else                              the request goes on; its answer is signed
 * ```
 * A request whose signature does not hold is never treated as one that has none.
 */
import type { Clock } from '../base/clock.ts';
import { WireError } from '../dns/error.ts';
import { type NameKey, parseAbsoluteName, printLabels } from '../dns/name.ts';
import { rcode } from '../dns/wire/header.ts';
import type { ReceivedTsig } from '../dns/wire/message.ts';
import { parseTsig, type TsigRecord } from '../dns/wire/tsig.ts';
import { TsigKey } from '../dns/wire/tsig-key.ts';
import {
  AnswerSigner,
  errorSigner,
  type MessageSigner,
  unsignedError,
} from '../dns/wire/tsig-sign.ts';
import { tsigErrorCode, verifyRequest } from '../dns/wire/tsig-verify.ts';
import type { TsigKey as ListedKey } from '../domain/access/model.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { Request } from './request.ts';

/** A key that requests may be signed with, and whose rights it carries. */
export interface KnownKey {
  readonly id: number;
  /** As it is listed: lower-case, no closing dot. */
  readonly name: string;
  readonly roleId: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly key: TsigKey;
}

/** The key of an absolute name; undefined when there is none (any more). */
export type FindKey = (name: NameKey) => KnownKey | undefined;

/** What a TSIG key is made of: the row of the projection and the secret of the keystore. */
export interface TsigKeySources {
  /** The listed key of a name, as access stands now. */
  readonly keyOf: (name: string) => ListedKey | undefined;
  readonly keystore: Pick<Keystore, 'tsigSecret'>;
}

export interface TsigKeys {
  /** The key of an absolute name. */
  byName(name: NameKey): KnownKey | undefined;
  /** The key of a name as it is listed. */
  byText(name: string): KnownKey | undefined;
}

/**
 * The row is asked for with every request, so that a key that is deleted, or made again under its
 * name, counts from the next one on. What is made of a secret is kept for as long as the keystore
 * keeps the secret.
 */
export function createTsigKeys({ keyOf, keystore }: TsigKeySources): TsigKeys {
  const keyOfSecret = new WeakMap<Buffer, TsigKey>();

  function byText(text: string): KnownKey | undefined {
    const listed = keyOf(text);
    const secret = listed && keystore.tsigSecret(listed.id);
    if (secret === undefined) return undefined;
    const { id, name, roleId, algorithm, createdAt } = listed!;
    let key = keyOfSecret.get(secret);
    if (key === undefined) {
      key = new TsigKey({ name: parseAbsoluteName(name), algorithm, secret });
      keyOfSecret.set(secret, key);
    }
    return { id, name, roleId, createdAt, key };
  }

  return { byText, byName: (name) => byText(printLabels(name)) };
}

/** A request whose signature did not hold, ready to be answered with `rcode`. */
export interface Rejection {
  readonly request: Request;
  readonly rcode: number;
  /** A clause for logs and the transfer list. */
  readonly reason: string;
}

export type Authenticated = { readonly request: Request } | { readonly rejection: Rejection };

/** Judges a signed request. */
export function authenticate(
  request: Request,
  received: ReceivedTsig,
  findKey: FindKey,
  clock: Clock,
): Authenticated {
  const now = () => Math.floor(clock() / 1000);
  let tsig: TsigRecord;
  try {
    tsig = parseTsig(received);
  } catch (error) {
    if (error instanceof WireError) return refuse(request, rcode.FORMERR, error.message);
    throw error;
  }
  const known = findKey(tsig.name);
  if (known === undefined) return refuseKey(request, tsig);
  const { key } = known;
  const nowSeconds = now();
  const verified = verifyRequest(request.bytes, tsig, key, nowSeconds);
  switch (verified) {
    case 'ok': {
      const { key: _, ...by } = known;
      const { mac, fudgeSeconds, timeSigned } = tsig;
      const badTimeSigner = () => errorSigner(key, tsig, tsigErrorCode.BADTIME, now());
      const signedBy = { ...by, mac, fudgeSeconds, timeSigned, badTimeSigner };
      return { request: { ...request, signedBy, signer: new AnswerSigner(key, mac, now) } };
    }
    case 'FORMERR':
      return refuse(request, rcode.FORMERR, `a MAC of ${tsig.mac.length} bytes is impossible`);
    case 'BADKEY':
      return refuseKey(request, tsig);
    case 'BADSIG': {
      const signer = unsignedError(tsig, tsigErrorCode.BADSIG);
      return refuse(request, rcode.NOTAUTH, `BADSIG with TSIG key '${known.name}'`, signer);
    }
    case 'BADTIME':
    case 'BADTRUNC': {
      const signer = errorSigner(key, tsig, tsigErrorCode[verified], nowSeconds);
      const skewSeconds = Math.abs(nowSeconds - tsig.timeSigned);
      const detail = verified === 'BADTIME' ? `: clocks are ${skewSeconds} s apart` : '';
      const reason = `${verified} with TSIG key '${known.name}'${detail}`;
      return refuse(request, rcode.NOTAUTH, reason, signer);
    }
  }
}

function refuseKey(request: Request, tsig: TsigRecord): Authenticated {
  const algorithm = printLabels(tsig.algorithm);
  const reason = `BADKEY: no TSIG key '${printLabels(tsig.name)}' with algorithm '${algorithm}'`;
  return refuse(request, rcode.NOTAUTH, reason, unsignedError(tsig, tsigErrorCode.BADKEY));
}

function refuse(
  request: Request,
  code: number,
  reason: string,
  signer?: MessageSigner,
): Authenticated {
  return { rejection: { request: { ...request, signer }, rcode: code, reason } };
}
