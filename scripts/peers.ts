/**
 * Makes the programs of others that Debian lacks and tests run: Litestream, the ExternalDNS controller, octoDNS,
 * DNSControl, a part of cert-manager, and what judges the OpenAPI document and the service by it.
 *
 * Usage: REQUIRE_PEERS=1 npm run peers        (needs Go, Python and npm; minutes the first time, nothing after that)
 */
import { buildCertManager } from './cert-manager/build.ts';
import { buildDnscontrol } from './dnscontrol/build.ts';
import { buildController } from './external-dns/build.ts';
import { buildLitestream } from './litestream/build.ts';
import { buildOctodns } from './octodns/build.ts';
import { buildLinters } from './openapi-lint/build.ts';
import { buildSchemathesis } from './schemathesis/build.ts';

console.log(await buildLitestream());
console.log(await buildController());
console.log(await buildOctodns());
console.log(await buildDnscontrol());
console.log(await buildCertManager());
console.log(await buildSchemathesis());
console.log(await buildLinters());
