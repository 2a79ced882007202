/** Validators that ask one server for everything: delv for each question, unbound as a resolver. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { PeerProcess, peerFolder } from './signed-peers.ts';

/** The zone that is trusted, and its DS in text. */
export interface TrustAnchor {
  readonly zone: string;
  readonly ds: string;
}

/** What delv says of an answer, such as `fully validated` or `unsigned answer`. */
export async function askDelv(
  port: number,
  anchor: TrustAnchor,
  anchorFile: string,
  name: string,
  type: string,
): Promise<string> {
  const { zone, ds } = anchor;
  const [tag, algorithm, digestType, digest] = ds.split(' ');
  const key = `${zone}. static-ds ${tag} ${algorithm} ${digestType} "${digest}";`;
  writeFileSync(anchorFile, `trust-anchors { ${key} };\n`);
  const server = ['@127.0.0.1', '-p', String(port)];
  const args = [...server, '-a', anchorFile, `+root=${zone}`, name, type];
  const { stdout, stderr } = await promisify(execFile)(peer('delv')!, args);
  return outcomeOf(`${stdout}\n${stderr}`);
}

function outcomeOf(text: string): string {
  const verdict = /^; (?:negative response, )?(fully validated|unsigned answer)/m.exec(text)?.[1];
  const negative = /resolution failed: (ncache \w+)/.exec(text)?.[1];
  return verdict === undefined ? text : [negative, verdict].filter(Boolean).join(', ');
}

/** unbound with the server on loopback for all of `zones`, trusting one. */
export async function startUnbound(
  serverPort: number,
  zones: readonly string[],
  anchor: TrustAnchor,
): Promise<PeerProcess> {
  const folder = peerFolder('unbound');
  const port = await freePort();
  const stubs = zones.map(
    (zone) => `stub-zone:\n  name: "${zone}."\n  stub-addr: 127.0.0.1@${serverPort}\n`,
  );
  writeFileSync(
    join(folder, 'unbound.conf'),
    `server:
  interface: 127.0.0.1
  port: ${port}
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  num-threads: 1
  do-ip6: no
  do-not-query-localhost: no
  aggressive-nsec: no
  target-fetch-policy: "0 0 0 0 0"
  module-config: "validator iterator"
  local-zone: "test." nodefault
  val-log-level: 2
  trust-anchor: "${anchor.zone}. DS ${anchor.ds}"
remote-control:
  control-enable: no
${stubs.join('')}`,
  );
  return new PeerProcess('unbound', ['-d', '-c', 'unbound.conf'], folder, port);
}
