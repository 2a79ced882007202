/**
 * Messages (RFC 1035 4.1) as values: what decode.ts makes.
 *
 * OPT and TSIG are parts of the message, not records of its additional section, because each may
 * stand there at most once and means the message as a whole.
 */
import type { NameKey } from '../name.ts';
import type { HeaderFields } from './header.ts';

export interface Question {
  /** Absolute, lower-case. */
  readonly name: NameKey;
  readonly type: number;
  readonly class: number;
}

/** A record of a message. Its owner is absolute, unlike a ResourceRecord's. */
export interface WireRecord {
  readonly name: NameKey;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  /** Canonical for class IN and NONE; as received for other classes; empty in deletions. */
  readonly rdata: Buffer;
}

export interface EdnsOption {
  readonly code: number;
  readonly data: Buffer;
}

/** What an OPT record says (RFC 6891 6.1), without the high bits of the rcode. */
export interface Edns {
  /** As the sender wrote it; values below 512 mean 512. */
  readonly udpPayload: number;
  readonly version: number;
  readonly dnssecOk: boolean;
  readonly options: readonly EdnsOption[];
}

/** The TSIG record as received, and the byte at which it starts: the MAC covers what is before. */
export interface ReceivedTsig extends WireRecord {
  readonly offset: number;
}

export interface Message extends HeaderFields {
  readonly questions: readonly Question[];
  readonly answers: readonly WireRecord[];
  readonly authorities: readonly WireRecord[];
  /** Without OPT and TSIG. */
  readonly additionals: readonly WireRecord[];
  /** The first question as received, for an echo with the sender's capitals (0x20). */
  readonly questionBytes?: Buffer;
  readonly edns?: Edns | undefined;
  readonly tsig?: ReceivedTsig | undefined;
}
