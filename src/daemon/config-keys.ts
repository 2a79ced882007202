/**
 * The configuration as a table: one row for each key, with its kind, default, bounds and a sentence.
 *
 * Reading, overriding by environment, refusing, printing, the documentation and the type `Config` all
 * come from these rows, so that a new key is one row here.
 */
import type { CamelCase } from '../base/field-name.ts';
import { limits } from '../base/limits.ts';
import { checkpointOwners } from '../journal/checkpoint-owners.ts';
import { denyWords } from '../outbound/policy.ts';
import { logFormats, logLevels } from '../telemetry/log.ts';
import {
  address,
  addresses,
  boolean,
  choice,
  integer,
  type Key,
  line,
  name,
  pagePath,
  path,
  port,
  reloaded,
} from './config-key.ts';

/** A hundred years. */
const maxDays = 36_500;
const tebibyte = 1_099_511_627_776;

/** Sections and keys as they are named in TOML. */
const table = {
  data_dir: path(
    './data',
    'Folder of the database, the key file and the socket; created with mode 0700.',
  ),
  database: {
    checkpoints: choice(
      'own',
      checkpointOwners,
      'Who checkpoints the WAL: the service (own), or a program that replicates the file, as Litestream does (external).',
    ),
    wal_warn_bytes: integer(
      1_073_741_824,
      65_536,
      tebibyte,
      'Bytes of the WAL in use from which the service warns.',
    ),
    verify_interval_hours: integer(
      24,
      0,
      8760,
      'Hours between two verifications of the database in the background; 0 turns them off.',
    ),
  },
  api: {
    listen_addr: address(
      '127.0.0.1',
      'Address of the HTTP interface; may carry the port (`127.0.0.1:3000`, `[::1]:3000`).',
    ),
    listen_port: port(3000, 'Port of the HTTP interface; 0 takes any free one.'),
    authentication_required: boolean(true, 'Whether HTTP requests need a token.'),
    metrics_enabled: boolean(true, 'Whether GET /metrics is served.'),
    openapi_enabled: boolean(false, 'Whether the OpenAPI document is served.'),
    external_dns_enabled: boolean(false, 'Whether the paths under /external-dns are served.'),
    insecure: boolean(
      false,
      'Whether the HTTP interface may listen beyond loopback without authentication.',
    ),
    host_name: name(
      undefined,
      'Name by which clients reach the HTTP interface where no token is needed; addresses always do.',
    ),
    max_import_bytes: integer(268_435_456, 1, tebibyte, 'Bytes of an import body at most.'),
    max_bodies_bytes: integer(
      268_435_456,
      65_536,
      tebibyte,
      'Bytes of all request bodies in work together, half of it for one caller, unless for one body alone; each counts twice, above 32 MiB 2.5 times.',
    ),
    auth_failures_per_minute: integer(
      300,
      0,
      1_000_000,
      'Unknown secrets per address and minute before failing requests get 429; 0 turns it off.',
    ),
    console: choice(
      'auto',
      ['auto', 'on', 'off'],
      'Whether the console is served; auto does on loopback and with a certificate.',
    ),
    console_path: pagePath('/console', 'Path at which the console is served.'),
    session_idle_hours: integer(
      12,
      1,
      8760,
      'Hours without use after which a session of the console ends.',
    ),
    session_max_days: integer(7, 1, 365, 'Days after which a session of the console ends.'),
    tls_cert_file: path(
      undefined,
      'PEM certificate chain of the HTTP interface; needs api.tls_key_file.',
    ),
    tls_key_file: path(
      undefined,
      'PEM private key of the HTTP interface; needs api.tls_cert_file.',
    ),
  },
  dns: {
    listen_addr: address(
      '127.0.0.1',
      'Address of the DNS listener, UDP and TCP; 0.0.0.0 and :: are all that the host has. May carry the port.',
    ),
    listen_port: port(5300, 'Port of the DNS listener, UDP and TCP; 0 takes any free one.'),
    answer_queries: boolean(true, 'Whether stored zones are answered to everyone.'),
    lint_interval_hours: integer(
      24,
      0,
      8760,
      'Hours between two lints of all zones in the background; 0 turns them off.',
    ),
    served_check_interval_hours: integer(
      24,
      0,
      8760,
      'Hours between two comparisons of some zones with what secondaries serve; 0 turns them off.',
    ),
    catalog_zone_name: name(
      'catalog.invalid',
      'Name of the catalog zone (RFC 9432) that lists the enabled zones.',
    ),
    rrl: {
      responses_per_second: integer(
        200,
        0,
        1_000_000,
        'Answers over UDP per second to a /24 of IPv4 or a /56 of IPv6, loopback and secondaries aside; 0 turns the limit off.',
      ),
      slip: integer(
        2,
        0,
        10,
        'Number of queries beyond the limit of which one gets a short answer, so that clients go on over TCP; 0 drops all of them.',
      ),
    },
    cookies: boolean(
      true,
      'Whether DNS cookies (RFC 7873) are served; clients that show theirs are not limited.',
    ),
    nsid: line('Text that names this server to clients that ask for it (NSID, RFC 5001).'),
    nsupdate_tsig_required: boolean(true, 'Whether dynamic updates must be signed.'),
    update_wait_secs: integer(
      0,
      0,
      30,
      'Seconds that the answer to a dynamic update waits for all enabled secondaries to serve it; 0 does not wait.',
    ),
    notify: {
      batch_ms: reloaded(
        integer(
          0,
          0,
          60_000,
          'Milliseconds in which a burst of changes to a zone shares one NOTIFY.',
        ),
      ),
      retries: reloaded(integer(3, 0, 20, 'Times a NOTIFY without an answer is sent again.')),
      timeout_secs: reloaded(integer(3, 1, 60, 'Seconds to wait for each answer.')),
    },
    ixfr_condense: boolean(
      true,
      'Whether an IXFR joins all steps since the serial of the client into one.',
    ),
    tcp_max_connections: integer(128, 1, 65_535, 'Open DNS connections over TCP at most.'),
    tcp_queries_in_work: integer(
      16,
      1,
      65_535,
      'Queries of one DNS connection worked on at a time; the rest wait.',
    ),
    // edns-tcp-keepalive says the time in 16 bits of 100 ms (RFC 7828 3.1).
    tcp_idle_timeout_secs: integer(
      30,
      1,
      6553,
      'Seconds after which an idle DNS connection is closed.',
    ),
    import: {
      timeout_secs: integer(
        30,
        1,
        86_400,
        'Seconds of silence that end an import from a server; waits take 4 times that, and 1 per 1000 bytes, at most.',
      ),
      max_records: integer(5_000_000, 1, 1_000_000_000, 'Records of one import at most.'),
      max_bytes: integer(
        1_073_741_824,
        1_048_576,
        1_099_511_627_776,
        'Bytes of names and data of one import from a server at most; all at a time have twice that.',
      ),
    },
    zone_defaults: {
      default_ttl: reloaded(
        integer(3600, 60, 604_800, 'default_ttl of a new zone that names none, in seconds.'),
      ),
      refresh: timer('refresh', 300),
      retry: timer('retry', 60),
      expire: timer('expire', 3_600_000),
      minimum_ttl: timer('minimum_ttl', 86_400),
    },
    guard: {
      max_delete_percent: integer(
        30,
        0,
        100,
        'Percent of the records of a zone that one write may delete, where the zone says nothing else.',
      ),
      max_deletes: integer(
        1000,
        0,
        1_000_000_000,
        'Records of a zone that one write may delete, where the zone says nothing else.',
      ),
      min_records: integer(
        20,
        0,
        1_000_000_000,
        'Zones with fewer records are held only to a max_deletes of their own.',
      ),
    },
    scheduler_interval_secs: integer(
      3600,
      0,
      604_800,
      'Seconds between two runs of the scheduler; 0 turns it off.',
    ),
    zone_history_retention_days: integer(
      0,
      0,
      maxDays,
      'Days that old versions of a zone are kept; 0 keeps them for ever.',
    ),
    signer_history_retention_days: integer(
      30,
      0,
      maxDays,
      'Days that signatures of old versions are kept; 0 keeps them for ever.',
    ),
  },
  outbound: {
    deny: addresses(
      denyWords,
      denyWords,
      'Addresses that are never contacted because a caller named them; words stand for kinds of addresses.',
    ),
    allow: addresses(
      [],
      [],
      'Addresses that may be contacted for every caller, though deny covers them or they are private.',
    ),
    ca_file: path(
      undefined,
      'PEM certificates of authorities that webhooks trust besides those that come with the program.',
    ),
  },
  dnssec: {
    key_encryption_file: path(
      undefined,
      'File of the key that seals private keys and TSIG secrets; <data_dir>/keys.key if unset.',
    ),
  },
  logging: {
    level: reloaded(choice('info', logLevels, 'Least level of the events that are logged.')),
    format: reloaded(
      choice(
        'text',
        logFormats,
        'One readable line for each event (text), or one JSON object (json).',
      ),
    ),
  },
};

function timer(of: string, standard: number): Key<number> {
  const doc = `SOA ${of} of a new zone that names none, in seconds.`;
  return reloaded(integer(standard, 1, limits.ttl, doc));
}

type ValuesOf<Section> = {
  readonly [Name in keyof Section & string as CamelCase<Name>]: Section[Name] extends Key<
    infer Value
  >
    ? Value
    : ValuesOf<Section[Name]>;
};

/** The values of all keys, in sections, with names in camel case. */
export type ConfigValues = ValuesOf<typeof table>;

/** A key with its place: section and name joined by dots, as written in TOML. */
export interface ConfigKey extends Key {
  readonly path: string;
}

export const configKeys: readonly ConfigKey[] = keysOf(table, '');

interface Section {
  readonly [name: string]: Key | Section;
}

function keysOf(section: Section, prefix: string): ConfigKey[] {
  return Object.entries(section).flatMap(([each, inside]) =>
    isKey(inside) ? { ...inside, path: prefix + each } : keysOf(inside, `${prefix}${each}.`),
  );
}

function isKey(inside: Key | Section): inside is Key {
  return typeof inside.check === 'function';
}

/** The variable that overrides a key: `api.listen_port` is ZONEBOOK_API_LISTEN_PORT. */
export function variableOf(key: ConfigKey): string {
  return `ZONEBOOK_${key.path.replaceAll('.', '_').toUpperCase()}`;
}
