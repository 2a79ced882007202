/**
 * Limits: every bound of the service that is not configuration, each with its unit and reason.
 */
export const limits = {
  /** Bytes of a domain name on the wire, root label included (RFC 1035 2.3.4). */
  nameBytes: 255,
  /** Bytes of one label (RFC 1035 2.3.4). */
  labelBytes: 63,
  /** Bytes of RDATA: its length field has 16 bits (RFC 1035 3.2.1). */
  rdataBytes: 65_535,
  /**
   * Bytes of an RRset, each record counted as 12 bytes and its RDATA. It fits one DNS message over TCP with the longest
   * question (259) and an OPT (11), two signatures of 4096 bits (1594), an SOA with the longest names (542) and the
   * longest TSIG (364), whatever the zone is called: 65,535 - 12 - 2,770, rounded down.
   */
  rrsetBytes: 62_500,
  /**
   * Bytes of all records at one name, counted in the same way: two RRsets of the greatest size. A question about a name
   * and a change of it read all that stands there.
   */
  ownerBytes: 125_000,
  /** Bytes of a DNS message over TCP: its length prefix has 16 bits (RFC 1035 4.2.2). */
  messageBytes: 65_535,
  /** Bytes of our answers over UDP: fits IPv6's least MTU without fragments (DNS flag day 2020). */
  udpPayloadBytes: 1232,
  /** Bytes of UDP answers to clients without EDNS (RFC 1035 4.2.1). */
  udpBytesWithoutEdns: 512,
  /** Greatest serial: serials are presented as int32 and never wrap. */
  serial: 2_147_483_647,
  /**
   * Greatest serial that an ordinary change leads to. The last million is kept for what has to go on in a zone that
   * has come so far: its signatures are renewed, it is unsigned or disabled.
   */
  maxSerial: 2_146_483_647,
  /** Greatest serial a zone may start with; leaves ten million steps. */
  startingSerial: 2_137_483_647,
  /** Serials, and identifiers, that are passed over when the database was taken back: more than a day has. */
  epochJump: 65_536,
  /** How far one thing may move, and everything else with it when the database is taken back again. */
  epochMove: 1_048_576,
  /** Milliseconds that secondaries are asked for their serials before an epoch begins. */
  epochSurveyMs: 10_000,
  /** Milliseconds between two rounds of asking all secondaries whether they are ahead of us. */
  secondaryWatchMs: 15 * 60_000,
  /** Milliseconds for which a secondary that served nothing is not asked again, whoever looks at it. */
  secondaryAskedAgainMs: 30_000,
  /** Zones that such a secondary is asked for; for the rest once it serves one of them. */
  zonesAskedAgain: 100,
  /** Days on which signatures expire that one answer lists. */
  expirationDays: 60,
  /** Zones that one round tells a secondary of again, which is behind with them. */
  zonesNotifiedAgain: 1000,
  /** Zones that secondaries are behind with in one answer. */
  zonesBehindListed: 50,
  /** Milliseconds from the start to the first of them: the network has its time. */
  secondaryWatchFirstMs: 60_000,
  /** Milliseconds between two looks at the DS of a zone: with a run each hour, not more than a day. */
  dsLookMs: 23 * 3_600_000,
  /** Zones whose DS one run looks at, unless there are too many to see all within a day. */
  dsLooksPerRun: 200,
  /** Zones whose parents or secondaries are asked at a time: one that is silent takes some 4 s. */
  signingZonesAsked: 32,
  /** Zones in a row that a secondary leaves unanswered in one run before the rest is not asked for. */
  secondarySilences: 3,
  /** Name servers of a parent that a zone names: a zone of the world has thirteen. */
  parentServers: 16,
  /** Addresses of one host name that are used: whoever runs the name may list any number. */
  hostAddresses: 16,
  /** Milliseconds after which a failure to reach a server is reported to callers who may not know its kind. */
  quietAnswerMs: 5000,
  /** NOTIFY that wait for an answer at a time, each with a socket of its own. */
  notifySockets: 512,
  /** Greatest TTL (RFC 2181 8). */
  ttl: 2_147_483_647,
  /** Greatest identifier: ids are int32 and never reused. */
  id: 2_147_483_647,
  /** Characters of a description. */
  descriptionCharacters: 255,
  /** RRsets that the guard of a zone protects: each is compared with each record that a change removes. */
  protectedRrsets: 100,
  /** Characters of a caller's text that a message repeats: an ordinary name fits whole. */
  quotedCharacters: 300,
  /** Errors of one request that its answer lists. */
  reportedErrors: 100,
  /** Bytes of the path of a local socket: the kernel's field has 108, the closing NUL included. */
  socketPathBytes: 107,
  /** Days a signature is valid at most: RRSIG compares its 32-bit seconds as serials (RFC 4034 3.1.5). */
  signatureValidityDays: 24_855,
  /** Bits of the modulus of an RSA key that is taken in, at least: shorter ones are broken (RFC 8624 3.1). */
  rsaModulusBits: 2048,
  /** Days a ZSK is used at most before it is rolled by itself. */
  zskLifetimeDays: 3650,
  /** Rows of a page when the caller names no limit. */
  pageDefault: 50,
  /** Rows of a page at most. */
  pageMaximum: 1000,
  /** Streams of events at a time, each an open connection. */
  eventStreams: 256,
  /** Webhooks: each is read for and posted to by itself. */
  webhooks: 64,
  /** Characters of the URL of a webhook. */
  webhookUrlCharacters: 2000,
  /** Milliseconds that the receiver of a webhook has to answer. */
  webhookTimeoutMs: 15_000,
  /** Bytes that are read of its answer, of which the status counts. */
  webhookAnswerBytes: 64 * 1024,
  /** Milliseconds to the second try of a delivery; doubled up to the longest one, with each that fails. */
  webhookRetryMs: 1000,
  /** Milliseconds between two tries at most. */
  webhookLongestRetryMs: 5 * 60_000,
  /** Milliseconds of failures in a row after which a webhook is suspended. */
  webhookSuspendMs: 24 * 3_600_000,
  /** Milliseconds between two writes of how far webhooks got: what a crash may make come twice. */
  webhookCursorMs: 1000,
  /** Bytes of events that wait for a stream's client before it is cut off: memory for each stream. */
  eventStreamBytes: 1024 * 1024,
  /** Milliseconds from one sign of life on an idle stream to the next: proxies close what is silent for longer. */
  eventStreamIdleMs: 15_000,
  /** Milliseconds after which a client that takes nothing of what waits for it is cut off. */
  eventStreamStallMs: 60_000,
  /** Requests that wait for secondaries at a time. */
  propagationWaits: 256,
  /** Seconds that a request may wait for secondaries. */
  propagationSeconds: 300,
  /** Changes of a zone that are looked at for how long caches keep what they replaced: up to 1 s of a worker. */
  replacedChanges: 5000,
  /** Records that these changes remove and add, together. */
  replacedRecords: 20_000,
  /** Characters of the reason that is given for a write. */
  reasonCharacters: 1000,
  /** Characters of the reference beside it: the number of a ticket, an address. */
  referenceCharacters: 200,
  /** Names for serials that a zone has at once. */
  tagsPerZone: 1000,
  /** Spans of an answer about the activity of a zone: each is ten questions of 5 µs. */
  activitySpans: 400,
  /** Bytes of an ordinary request body. */
  bodyBytes: 2 * 1024 * 1024,
  /** Bytes of a bulk request body. */
  bulkBodyBytes: 32 * 1024 * 1024,
  /** Bytes of a body where there is nothing to say: `{}` with room for blanks. */
  emptyBodyBytes: 1024,
  /**
   * Bytes of a body up to which it takes no room among the bodies that are being read; and of any body from a
   * caller without a single grant.
   */
  smallBodyBytes: 65_536,
  /** Arrays and objects of a large body: 32 MiB have room for this number of records. */
  bodyContainers: 1_000_000,
  /** Arrays and objects of a large body within each other: ours go four deep. */
  bodyDepth: 32,
  /** Milliseconds from the end of a head in which a body may come as slowly as it likes. */
  bodyGraceMs: 30_000,
  /** Bytes that must come in each second after that, on average. */
  bodyBytesPerSecond: 16_384,
  /** Milliseconds from the first byte of a request, or from the connection, to the end of its head. */
  headMs: 10_000,
  /** Bytes of all large answers that their clients have yet to take; whoever has half of it gets no more. */
  answersBytes: 256 * 1024 * 1024,
  /** Bytes that a worker buffers of answers whose clients take longer for them than a state of the database is kept. */
  bufferedBytes: 256 * 1024 * 1024,
  /** Requests that one connection sends behind a read that is not answered yet: each is some 5 KB. */
  requestsBehind: 32,
  /** Changes that one connection has in work at once: what they did may be answered with megabytes each. */
  changesAtOnce: 64,
  /** Requests that wait behind those: the 64 KiB that are read at once have fewer, where each is a change. */
  changesBehind: 512,
  /**
   * Requests of all connections that are begun in one turn of the event loop, some milliseconds: a turn accepts one
   * connection and reads some 32 datagrams.
   */
  requestsPerTurn: 16,
  /** Milliseconds after which a client that takes nothing of its answer is cut off. */
  answerStallMs: 60_000,
  /** Milliseconds that a connection stays open behind its last answer, for a client that does not close it. */
  lingerMs: 2000,
  /** Open connections to each HTTP listener. */
  apiConnections: 2000,
  /** Milliseconds of a stop in which requests in work are answered; the rest of 10 s closes the database. */
  drainMs: 7000,
  /** Bodies above this many bytes are parsed off the main thread. */
  inlineBodyBytes: 1024 * 1024,
  /** Bytes of one part of an event's delta; an IXFR sends parts as they are. */
  deltaPartBytes: 64 * 1024,
  /** Commands in one commit: more would hold up the callers of the first. */
  batchCommands: 256,
  /** Records that one command makes: some 30 ms; more are prepared little by little. */
  commandRecords: 3000,
  /** Creations, deletions and updates of ExternalDNS in one transaction: some 25 ms of the thread that writes. */
  externalDnsItems: 250,
  /** Those that one call may bring, which is one transaction: others do not write for some 2 s. */
  externalDnsCallItems: 20_000,
  /** Zones of one set of changes. */
  changedZones: 1000,
  /** Its deletions, RRsets and values together, which is one transaction: others do not write for some 0.5 s. */
  changeItems: 5000,
  /** Records of an RRset above which a write warns: resolvers cap what they take, BIND 9.20 at 100. */
  largeRrset: 100,
  /** Warnings listed in one answer; one more says how many there are besides. */
  listedWarnings: 100,
  /** Records of one write whose targets are looked up for warnings: some 40 ms of the main thread. */
  warningTargets: 1000,
  /** Records that one request for lint looks at, each with a target or an SPF text for 20: some 200 ms of a worker. */
  lintCost: 10_000,
  /** Milliseconds from the start to the first lint of all zones. */
  lintFirstMs: 15 * 60_000,
  /** Records that one call makes the desired state of a team in a zone: some 40 ms of the main thread. */
  desiredRecords: 3000,
  /** Bytes of a file with them. */
  desiredBytes: 512 * 1024,
  /** Zones of each secondary that one round compares, besides those that differed. */
  servedSample: 20,
  /** Zones compared with what a secondary serves at once: each takes a worker. */
  servedChecks: 4,
  /** Records of a transfer that is compared, the SOA not counted: some 400 MiB of a worker. */
  servedRecords: 2_000_000,
  /** Bytes of names and RDATA of such a transfer. */
  servedBytes: 1024 ** 3,
  /** Milliseconds that such a transfer may take. */
  servedCheckMs: 120_000,
  /** Milliseconds of silence after which its server counts as gone. */
  servedSilenceMs: 10_000,
  /**
   * Imports from servers at a time, each with a worker. One counts once more for each eighth of `dns.import.max_bytes`
   * that has come, for it is kept in memory until it is imported: all together have twice that.
   */
  importTransfers: 16,
  /** Milliseconds that such a transfer may take: 1 GiB comes within it over 3 Mbit/s. */
  importTransferMs: 3_600_000,
  /** RRsets named in the answer of a comparison. */
  servedRrsets: 100,
  /** Results of comparisons that are remembered. */
  servedResults: 100_000,
  /** Milliseconds from the start to the first comparison of a sample. */
  servedFirstMs: 20 * 60_000,
  /** Turns of the event loop that commands are collected for while each turn brings more. */
  gatheringTurns: 8,
  /** Milliseconds after which a commit takes no further command. */
  batchMs: 10,
  /** Commands that may wait for a commit before callers get 503 with Retry-After. */
  queuedCommands: 10_000,
  /** Milliseconds after which a repair that came to nothing is tried again: it reads all events of a zone. */
  repairAgainMs: 600_000,
  /** Milliseconds from the start of the service to its first verification: a start has other work to do. */
  verifyFirstMs: 600_000,
  /** Milliseconds that a verification reads events in one state of the database. */
  verifySliceMs: 1000,
  /** Seconds after which a write is worth trying again where the storage failed (Retry-After). */
  storageRetrySeconds: 5,
  /** Milliseconds between two looks whether a storage that failed can be written again, and whether a commit stalls. */
  storageLookMs: 1000,
  /** Milliseconds of one commit after which the disk counts as not answering. */
  storageStallMs: 5000,
  /** Bytes that must fit the disk, written and synced, before writes go on: some ordinary commits. */
  storageProbeBytes: 1024 * 1024,
  /** Milliseconds that /health tells of a read that failed. */
  storageReadProblemMs: 10_000,
  /** Milliseconds from one line in the log about the same kind of fault to the next. */
  storageLogMs: 10_000,
  /** Transfers, by zone and client, that are buffered while they can not be written: the oldest are dropped first. */
  transfersBuffered: 20_000,
  /** Days that no session of a browser outlives, whatever is configured. */
  sessionDays: 365,
  /** Milliseconds in which a code for the console lets in. */
  loginCodeMs: 60_000,
  /** Characters of what a browser calls itself that are kept. */
  agentCharacters: 200,
  /** Codes for the console that wait to be used. */
  loginCodes: 1000,
  /** The same of one caller: its oldest ends when it asks for more. */
  loginCodesOfCaller: 20,
  /** Events an hour that tell of refused logins, of all addresses together: nobody needs a token for them. */
  refusedLogins: 60,
  /** Addresses that logins were refused from which are remembered. */
  refusedAddresses: 10_000,
  /** Milliseconds a read snapshot may live; longer ones would stop WAL checkpoints. */
  snapshotMs: 60_000,
} as const;
