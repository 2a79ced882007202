/** Messages to and from the threads that make signatures. Octets are handed over, not copied. */

/** A key that they sign with; orders name it by its place among all of them. */
export interface SignatureKey {
  readonly dnskey: Uint8Array;
  /** PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
}

export interface SignatureOrder {
  readonly number: number;
  readonly key: number;
  readonly data: Uint8Array;
  /** Where in `data` each text to sign ends. */
  readonly ends: Uint32Array;
}

export interface SignatureDelivery {
  readonly number: number;
  /** One after the other; undefined when they could not be made. */
  readonly signatures: Uint8Array | undefined;
  readonly failure: string;
}
