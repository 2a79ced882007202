/**
 * The configuration as a table: one row for each key, with its kind, default, bounds and a sentence.
 *
 * Reading, overriding by environment, refusing, printing and the documentation all work from these
 * rows, so that a new key is one row here and one line in the `Config` type.
 */
import { limits } from '../base/limits.ts';
import { checkpointOwners } from '../journal/checkpoint-owners.ts';
import { denyWords } from '../outbound/policy.ts';
import { logFormats, logLevels } from '../telemetry/log.ts';

interface Row {
  /** Section and name joined by dots, as written in TOML. */
  readonly path: string;
  readonly doc: string;
  /** True when SIGHUP re-reads the key; all others wait for a restart. */
  readonly reloaded?: true;
}

export interface IntegerKey extends Row {
  readonly kind: 'integer';
  readonly default: number;
  readonly least: number;
  readonly greatest: number;
}

export interface BooleanKey extends Row {
  readonly kind: 'boolean';
  readonly default: boolean;
}

export interface ChoiceKey extends Row {
  readonly kind: 'choice';
  readonly default: string;
  readonly choices: readonly string[];
}

/** `path` a file or folder, `address` an IP address with or without a port, `name` a domain name. */
/** `text` is a short text without control characters. */
export interface TextKey extends Row {
  readonly kind: 'path' | 'address' | 'name' | 'text';
  /** Undefined when the key is unset unless given. */
  readonly default: string | undefined;
}

/** A list of IP addresses and prefixes of them; a variable separates them by commas. */
export interface AddressesKey extends Row {
  readonly kind: 'addresses';
  readonly default: readonly string[];
  /** Words that stand for addresses too. */
  readonly words: readonly string[];
}

export type ConfigKey = AddressesKey | IntegerKey | BooleanKey | ChoiceKey | TextKey;

/** A hundred years. */
const greatestDays = 36_500;
const tebibyte = 1_099_511_627_776;

export const configKeys: readonly ConfigKey[] = [
  {
    path: 'data_dir',
    kind: 'path',
    default: './data',
    doc: 'Folder of the database, the key file and the socket; created with mode 0700.',
  },
  {
    path: 'database.checkpoints',
    kind: 'choice',
    default: 'own',
    choices: checkpointOwners,
    doc: 'Who checkpoints the WAL: the service (own), or a program that replicates the file, as Litestream does (external).',
  },
  integer(
    'database.wal_warn_bytes',
    1_073_741_824,
    65_536,
    tebibyte,
    'Bytes of the WAL in use from which the service warns.',
  ),
  {
    path: 'api.listen_addr',
    kind: 'address',
    default: '127.0.0.1',
    doc: 'Address of the HTTP interface; may carry the port (`127.0.0.1:3000`, `[::1]:3000`).',
  },
  port('api.listen_port', 3000, 'Port of the HTTP interface; 0 takes any free one.'),
  boolean('api.authentication_required', true, 'Whether HTTP requests need a token.'),
  boolean('api.metrics_enabled', true, 'Whether GET /metrics is served.'),
  boolean('api.openapi_enabled', false, 'Whether the OpenAPI document is served.'),
  boolean('api.external_dns_enabled', false, 'Whether the paths under /external-dns are served.'),
  boolean(
    'api.insecure',
    false,
    'Whether the HTTP interface may listen beyond loopback without authentication.',
  ),
  {
    path: 'api.host_name',
    kind: 'name',
    default: undefined,
    doc: 'Name by which clients reach the HTTP interface where no token is needed; addresses always do.',
  },
  integer('api.max_import_bytes', 268_435_456, 1, tebibyte, 'Octets of an import body at most.'),
  integer(
    'api.max_bodies_bytes',
    268_435_456,
    65_536,
    tebibyte,
    'Octets of all request bodies in work together, half of it for one caller or one body; above 32 MiB each counts twice.',
  ),
  integer(
    'api.auth_failures_per_minute',
    300,
    0,
    1_000_000,
    'Unknown secrets per address and minute before failing requests get 429; 0 turns it off.',
  ),
  {
    path: 'api.tls_cert_file',
    kind: 'path',
    default: undefined,
    doc: 'PEM certificate chain of the HTTP interface; needs api.tls_key_file.',
  },
  {
    path: 'api.tls_key_file',
    kind: 'path',
    default: undefined,
    doc: 'PEM private key of the HTTP interface; needs api.tls_cert_file.',
  },
  {
    path: 'dns.listen_addr',
    kind: 'address',
    default: '127.0.0.1',
    doc: 'Address of the DNS listener, UDP and TCP; may carry the port.',
  },
  port('dns.listen_port', 5300, 'Port of the DNS listener, UDP and TCP; 0 takes any free one.'),
  boolean('dns.answer_queries', true, 'Whether stored zones are answered to everyone.'),
  {
    path: 'dns.catalog_zone_name',
    kind: 'name',
    default: 'catalog.invalid',
    doc: 'Name of the catalog zone (RFC 9432) that lists the enabled zones.',
  },
  integer(
    'dns.rrl.responses_per_second',
    200,
    0,
    1_000_000,
    'Answers over UDP per second to a /24 of IPv4 or a /56 of IPv6, loopback and secondaries aside; 0 turns the limit off.',
  ),
  integer(
    'dns.rrl.slip',
    2,
    0,
    10,
    'One of so many queries beyond the limit is answered in short, so that clients go on over TCP; 0 drops all of them.',
  ),
  boolean(
    'dns.cookies',
    true,
    'Whether DNS cookies (RFC 7873) are served; clients that show theirs are not limited.',
  ),
  {
    path: 'dns.nsid',
    kind: 'text',
    default: undefined,
    doc: 'Text that names this server to clients that ask for it (NSID, RFC 5001).',
  },
  boolean('dns.nsupdate_tsig_required', true, 'Whether dynamic updates must be signed.'),
  reloaded(
    integer(
      'dns.notify.batch_ms',
      0,
      0,
      60_000,
      'Milliseconds in which a burst of changes to a zone shares one NOTIFY.',
    ),
  ),
  reloaded(
    integer('dns.notify.retries', 3, 0, 20, 'Times a NOTIFY without an answer is sent again.'),
  ),
  reloaded(integer('dns.notify.timeout_secs', 3, 1, 60, 'Seconds to wait for each answer.')),
  boolean(
    'dns.ixfr_condense',
    true,
    'Whether an IXFR joins all steps since the serial of the client into one.',
  ),
  integer(
    'dns.transfer_cache_bytes',
    268_435_456,
    0,
    tebibyte,
    'Octets of prepared transfers kept in memory; 0 turns it off.',
  ),
  integer('dns.tcp_max_connections', 128, 1, 65_535, 'Open DNS connections over TCP at most.'),
  integer(
    'dns.tcp_queries_in_work',
    16,
    1,
    65_535,
    'Queries of one DNS connection worked on at a time; the rest wait.',
  ),
  // edns-tcp-keepalive says the time in 16 bits of 100 ms (RFC 7828 3.1).
  integer(
    'dns.tcp_idle_timeout_secs',
    30,
    1,
    6553,
    'Seconds after which an idle DNS connection is closed.',
  ),
  integer(
    'dns.import.timeout_secs',
    30,
    1,
    86_400,
    'Seconds that an import from another server may take.',
  ),
  integer('dns.import.max_records', 5_000_000, 1, 1_000_000_000, 'Records of one import at most.'),
  reloaded(
    integer(
      'dns.zone_defaults.default_ttl',
      3600,
      60,
      604_800,
      'default_ttl of a new zone that names none, in seconds.',
    ),
  ),
  timer('refresh', 300),
  timer('retry', 60),
  timer('expire', 3_600_000),
  timer('minimum_ttl', 86_400),
  integer(
    'dns.scheduler_interval_secs',
    3600,
    0,
    604_800,
    'Seconds between two runs of the scheduler; 0 turns it off.',
  ),
  integer(
    'dns.zone_history_retention_days',
    0,
    0,
    greatestDays,
    'Days that old versions of a zone are kept; 0 keeps them for ever.',
  ),
  integer(
    'dns.signer_history_retention_days',
    30,
    0,
    greatestDays,
    'Days that signatures of old versions are kept; 0 keeps them for ever.',
  ),
  integer(
    'database.verify_interval_hours',
    24,
    0,
    8760,
    'Hours between two verifications of the database in the background; 0 turns them off.',
  ),
  {
    path: 'outbound.deny',
    kind: 'addresses',
    words: denyWords,
    default: denyWords,
    doc: 'Addresses that are never contacted because a caller named them; words stand for kinds of addresses.',
  },
  {
    path: 'outbound.allow',
    kind: 'addresses',
    words: [],
    default: [],
    doc: 'Addresses that may be contacted for every caller, though deny covers them or they are private.',
  },
  {
    path: 'dnssec.key_encryption_file',
    kind: 'path',
    default: undefined,
    doc: 'File of the key that seals private keys and TSIG secrets; <data_dir>/keys.key if unset.',
  },
  {
    path: 'logging.level',
    kind: 'choice',
    default: 'info',
    choices: logLevels,
    doc: 'Least level of the events that are logged.',
    reloaded: true,
  },
  {
    path: 'logging.format',
    kind: 'choice',
    default: 'text',
    choices: logFormats,
    doc: 'One readable line for each event (text), or one JSON object (json).',
    reloaded: true,
  },
];

function integer(
  path: string,
  standard: number,
  least: number,
  greatest: number,
  doc: string,
): IntegerKey {
  return { path, kind: 'integer', default: standard, least, greatest, doc };
}

function port(path: string, standard: number, doc: string): IntegerKey {
  return integer(path, standard, 0, 65_535, doc);
}

function timer(name: string, standard: number): IntegerKey {
  const doc = `SOA ${name} of a new zone that names none, in seconds.`;
  return reloaded(integer(`dns.zone_defaults.${name}`, standard, 1, limits.ttl, doc));
}

function boolean(path: string, standard: boolean, doc: string): BooleanKey {
  return { path, kind: 'boolean', default: standard, doc };
}

function reloaded<Key extends ConfigKey>(key: Key): Key {
  return { ...key, reloaded: true };
}

/** The variable that overrides a key: `api.listen_port` is ZONEBOOK_API_LISTEN_PORT. */
export function variableOf(key: ConfigKey): string {
  return `ZONEBOOK_${key.path.replaceAll('.', '_').toUpperCase()}`;
}
