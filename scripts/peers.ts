/**
 * Builds the programs of others that Debian lacks and tests run: Litestream and the ExternalDNS controller.
 *
 * Usage: REQUIRE_PEERS=1 node scripts/peers.ts        (needs Go; minutes the first time, nothing after that)
 */
import { buildController } from './external-dns/build.ts';
import { buildLitestream } from './litestream/build.ts';

console.log(await buildLitestream());
console.log(await buildController());
