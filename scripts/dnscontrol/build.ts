/**
 * Builds DNSControl from its Go module, with the one provider that speaks AXFR and UPDATE: those of forty companies
 * would bring their libraries along.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtWithGo, moduleSources, type RunGo } from '../go.ts';

const module = 'github.com/StackExchange/dnscontrol/v4';
/** The release that is tried. */
export const dnscontrolVersion = 'v4.20.0';
const program = 'dnscontrol';

/** The folder of the program `dnscontrol` (`builtWithGo`). */
export function buildDnscontrol(): Promise<string> {
  return builtWithGo({ name: program, version: dnscontrolVersion, program, build });
}

async function build(folder: string, go: RunGo): Promise<void> {
  const sources = await moduleSources(go, module, dnscontrolVersion, folder);
  const providers = ['axfrddns', 'bind'].map((name) => `import _ "${module}/providers/${name}"\n`);
  writeFileSync(join(sources, 'providers/_all/all.go'), `package all\n\n${providers.join('')}`);
  await go(['build', '-o', join(folder, program), '.'], sources);
  rmSync(sources, { recursive: true });
}
