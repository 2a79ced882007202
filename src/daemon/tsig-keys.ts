/**
 * TSIG keys as signatures need them: the row of the projection and the secret of the keystore.
 *
 * The row is asked for with every request, so that a key that is deleted, or made anew under its
 * name, counts from the next one on. What is made of a secret is kept for as long as the keystore
 * keeps the secret.
 */
import { type NameKey, parseAbsoluteName, printLabels } from '../dns/name.ts';
import { TsigKey } from '../dns/wire/tsig-key.ts';
import type { TsigKey as ListedKey } from '../domain/access/model.ts';
import type { Keystore } from '../keystore/keystore.ts';
import type { KnownKey } from '../nameserver/authenticate.ts';

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

export function createTsigKeys({ keyOf, keystore }: TsigKeySources): TsigKeys {
  const keyOfSecret = new WeakMap<Buffer, TsigKey>();

  function byText(text: string): KnownKey | undefined {
    const listed = keyOf(text);
    const secret = listed && keystore.tsigSecret(listed.id);
    if (secret === undefined) return undefined;
    const { id, name, roleId, algorithm } = listed!;
    let key = keyOfSecret.get(secret);
    if (key === undefined) {
      key = new TsigKey({ name: parseAbsoluteName(name), algorithm, secret });
      keyOfSecret.set(secret, key);
    }
    return { id, name, roleId, key };
  }

  return { byText, byName: (name) => byText(printLabels(name)) };
}
