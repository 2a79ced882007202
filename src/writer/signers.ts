/** Signers of the keys in use: each private key is opened once and kept in memory. */
import { Problem } from '../base/problem.ts';
import { openKeyPair, type Signer } from '../dnssec/key-pair.ts';
import type { LateSigning } from '../dnssec/late-signing.ts';
import { nobleVerifier } from '../dnssec/noble.ts';
import type { ZoneKey } from '../dnssec/zone-key.ts';
import type { SecretChange } from '../domain/decision.ts';

/** Keys kept in memory. */
const keptKeys = 10_000;

export interface SigningKeys {
  /** The private half of a key, PKCS #8 in DER. */
  signingKey(keyId: number): Buffer | undefined;
}

export class Signers {
  readonly #keys: SigningKeys | undefined;
  readonly #late: LateSigning;
  readonly #signers = new Map<number, Signer>();
  #coming: ReadonlyMap<number, Buffer> = new Map();

  constructor(keys: SigningKeys | undefined, late: LateSigning) {
    this.#keys = keys;
    this.#late = late;
  }

  /** Private keys that the step to be signed brings in, which are not stored yet. */
  expect(secrets: readonly SecretChange[]): void {
    const puts = secrets.filter((change) => change.kind === 'put-signing-key');
    this.#coming = new Map(puts.map(({ keyId, privateKey }) => [keyId, privateKey]));
  }

  /** DNSSEC_SIGNING_FAILED when the private half is missing or belongs to another key. */
  of(key: ZoneKey): Signer {
    const known = this.#signers.get(key.id);
    if (known?.dnskey.equals(key.dnskey)) return known;
    const privateKey = this.#coming.get(key.id) ?? this.#keys?.signingKey(key.id);
    if (privateKey === undefined) {
      throw new Problem(
        'DNSSEC_SIGNING_FAILED',
        `the private half of key ${key.keyTag} is not in the keystore`,
      );
    }
    const signer = this.#late.signerOf(openKeyPair(privateKey, key.dnskey, nobleVerifier));
    // A key of a dry run is of no use to anybody else.
    if (key.id < 0) return signer;
    if (this.#signers.size >= keptKeys) this.#signers.clear();
    this.#signers.set(key.id, signer);
    return signer;
  }
}
