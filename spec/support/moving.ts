/** Servers that zones move away from, with as many zones as a test likes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { PeerProcess, peerFolder } from './signed-peers.ts';

/** named as the primary of zones, each with the text of its master file; `lines` are further ones of each zone. */
export async function startNamedWith(
  zones: Readonly<Record<string, string>>,
  lines = '',
): Promise<PeerProcess> {
  const folder = peerFolder('named');
  const port = await freePort();
  const entries = Object.entries(zones).map(([zone, text], index) => {
    writeFileSync(join(folder, `${index}.db`), text);
    return `zone "${zone}" { type primary; file "${index}.db"; check-names ignore; check-integrity no; ${lines} };`;
  });
  writeFileSync(
    join(folder, 'named.conf'),
    `options {
      directory "${folder}"; key-directory "${folder}"; pid-file none; session-keyfile none;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; notify no; dnssec-validation no; allow-transfer { 127.0.0.1; };
    };
    controls { };
    ${entries.join('\n')}`,
  );
  return new PeerProcess('named', ['-g', '-n', '1', '-c', 'named.conf'], folder, port);
}
