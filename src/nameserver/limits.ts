/**
 * Bounds of the nameserver that nobody configures, each with its unit and reason.
 */
import { limits } from '../base/limits.ts';

export const nameserverLimits = {
  /** CNAMEs and DNAMEs followed in one answer; resolvers give up on longer chains themselves. */
  chainLength: 16,
  /** Records at the names on the way after which no further one is followed. */
  chainRecords: 5000,
  /** Names that an answer leads to whose addresses are added; resolvers look for the others themselves. */
  addressNames: 32,
  /** Records at these names that are looked at: they are of all types. */
  addressRecords: 1000,
  /** The same of the servers of a delegation: a message over TCP has room for no more addresses. */
  glueRecords: 4096,
  /** Bytes of nodes kept for look-ups; some ten thousand names, where hot ones are few. */
  cachedNodeBytes: 16 * 1024 * 1024,
  /**
   * Bytes of a packed record that fits every message of a transfer: the largest RRset and the longest owner. Beside it
   * are the question (at most 259), an OPT (11) and the longest TSIG (364).
   */
  transferRecordBytes: limits.rrsetBytes + limits.nameBytes,
  /** Slots of the table of prefixes whose answers are limited: 1.1 MB; few that are busy share one. */
  limitedPrefixes: 65_536,
  /** UDP requests that wait for something (a host name of a secondary, a commit); more of them are dropped. */
  waitingDatagrams: 1000,
  /** Refused transfers over UDP recorded in a minute; their addresses may be forged. */
  refusedDatagramsPerMinute: 100,
  /** Refused transfers logged in a minute, for the same reason. */
  loggedRefusedTransfersPerMinute: 100,
  /** Requests in a minute whose bad signatures are logged; anybody can send them. */
  loggedSignaturesPerMinute: 100,
  /** Records of one update: 64 KiB of ordinary ones; each may cost a look-up and a row. */
  updateRecords: 4096,
  /** Bytes of the text that says why an update is refused: a sentence with a long name, and no more. */
  updateReasonBytes: 400,
  /**
   * Signed updates whose answers are remembered, of all keys together: 600 s of 400 a second, and some 45 MB. Of more
   * a second the oldest are given up, and what was signed no later than they is refused (update-replay.ts).
   */
  rememberedUpdates: 250_000,
  /** Refused updates logged in a minute; a misled client can send any number. */
  loggedRefusedUpdatesPerMinute: 100,
  /** Milliseconds between two looks for addresses of the host that have come or gone. */
  addressesMs: 15_000,
  /** Bytes of a UDP socket's receive buffer asked for; absorbs bursts while a commit runs. */
  datagramBufferBytes: 4 * 1024 * 1024,
  /** Bytes that may wait in a TCP connection before no further query is read from it. */
  unsentBytes: 256 * 1024,
  /** Messages of a TCP connection put in work between two turns of the event loop: a chunk holds thousands. */
  queriesPerTurn: 64,
  /** Transfers in progress on one connection; each holds a snapshot and a part of its zone. */
  transfersPerConnection: 2,
  /** Messages of a transfer between two turns of the event loop: about half a megabyte. */
  messagesPerTurn: 8,
  /** Slow clients whose transfers may be finished from a file. */
  spools: 32,
  /** Milliseconds a transfer waits for its turn when too many are in progress. */
  busyWaitMs: 10_000,
  /** Milliseconds a client may read nothing before its transfer yields its snapshot to one that waits. */
  stalledMs: 1000,
  /** Milliseconds until it asks again for its turn. */
  busyRetryMs: 25,
  /** Records of a delta that are condensed in memory; a longer delta is sent step by step. */
  condensedRecords: 100_000,
  /** Milliseconds a stopping nameserver waits for what is in work. */
  stopMs: limits.drainMs,
  /** Milliseconds a client has to close its side after a stopping nameserver closed ours. */
  goodbyeMs: 250,
  /** Tries to find a port that is free for UDP and TCP when any port will do. */
  portTries: 20,
} as const;
