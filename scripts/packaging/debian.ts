/**
 * Makes the Debian package of the one executable, with dpkg-deb.
 *
 * Usage: npm run debian [-- EXECUTABLE [FOLDER]], after npm run build. It puts
 * zonebook_VERSION_ARCHITECTURE.deb into FOLDER (dist/).
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '../..');
const here = import.meta.dirname;

/** Of Debian's package dpkg. */
const packer = 'dpkg-deb';

const maintainer = 'Zonebook <hostmaster@zonebook.invalid>';

/** Debian's words for the machines that there is an executable for. */
const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/** Libraries that Node and the addon of SQLite are linked with, in the versions they name. */
const depends = ['adduser', 'libatomic1 (>= 4.8)', 'libc6 (>= 2.34)', 'libstdc++6 (>= 6)'];

/** Makes the package of `executable` in `folder`; returns its path. */
export function buildDebianPackage(executable: string, folder: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const architecture = architectures[process.arch];
  if (architecture === undefined) throw new Error(`Debian has no name for ${process.arch}`);
  const tree = mkdtempSync(join(tmpdir(), 'zonebook-deb-'));
  try {
    chmodSync(tree, 0o755);
    const place = (path: string, content: string | Buffer, mode = 0o644) => {
      mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 });
      writeFileSync(join(tree, path), content, { mode });
      chmodSync(join(tree, path), mode);
    };
    mkdirSync(join(tree, 'usr/bin'), { recursive: true });
    copyFileSync(executable, join(tree, 'usr/bin/zonebook'));
    chmodSync(join(tree, 'usr/bin/zonebook'), 0o755);
    place('usr/lib/systemd/system/zonebook.service', readFileSync(join(here, 'zonebook.service')));
    place('etc/zonebook/zonebook.toml', readFileSync(join(here, 'zonebook.toml')));
    place('usr/share/man/man1/zonebook.1.gz', gzipSync(manPage(), { level: 9 }));
    for (const [shell, path] of completions) place(path, completionOf(executable, shell));
    place('usr/share/doc/zonebook/changelog.gz', gzipSync(changelog(version), { level: 9 }));
    place('usr/share/doc/zonebook/copyright', readFileSync(`${executable}.licenses.txt`));
    for (const script of readdirSync(join(here, 'debian'))) {
      place(`DEBIAN/${script}`, readFileSync(join(here, 'debian', script)), 0o755);
    }
    place('DEBIAN/conffiles', '/etc/zonebook/zonebook.toml\n');
    place('DEBIAN/control', control({ version, architecture, sizeKiB: sizeOf(tree) }));
    const target = join(folder, `zonebook_${version}_${architecture}.deb`);
    mkdirSync(folder, { recursive: true });
    // Debian 12 and Ubuntu 22.04 know zstd, which is several times faster than xz for a tenth more.
    const packing = ['-Zzstd', '-z6', '--root-owner-group'];
    execFileSync(packer, ['--build', ...packing, tree, target], { stdio: 'pipe' });
    return target;
  } finally {
    rmSync(tree, { recursive: true });
  }
}

/** In the form of Debian's policy, 4.4: what the newest section of the changelog says. */
function changelog(version: string): string {
  const text = readFileSync(join(root, 'spec/CHANGELOG.md'), 'utf8');
  const [, newest = ''] = /^## [^\n]*\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text) ?? [];
  if (newest === '') throw new Error('spec/CHANGELOG.md has no version');
  const items = [...newest.matchAll(/^- (.*)$/gm)].map(([, item]) => `  * ${item}`);
  const at = Number(process.env.SOURCE_DATE_EPOCH ?? Date.now() / 1000) * 1000;
  const date = new Date(at).toUTCString().replace('GMT', '+0000');
  return [
    `zonebook (${version}) unstable; urgency=medium`,
    '',
    ...items,
    '',
    ` -- ${maintainer}  ${date}`,
    '',
  ].join('\n');
}

/** Where each shell looks for completions of packages. */
const completions: readonly (readonly [shell: string, path: string])[] = [
  ['bash', 'usr/share/bash-completion/completions/zonebook'],
  ['zsh', 'usr/share/zsh/vendor-completions/_zonebook'],
  ['fish', 'usr/share/fish/vendor_completions.d/zonebook.fish'],
];

function completionOf(executable: string, shell: string): Buffer {
  return execFileSync(executable, ['completion', shell], { env: {} });
}

function manPage(): Buffer {
  return execFileSync(process.execPath, [join(root, 'scripts/man-page.ts')]);
}

interface Facts {
  readonly version: string;
  readonly architecture: string;
  readonly sizeKiB: number;
}

function control({ version, architecture, sizeKiB }: Facts): string {
  return [
    'Package: zonebook',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    'Section: net',
    'Priority: optional',
    `Installed-Size: ${sizeKiB}`,
    `Depends: ${depends.join(', ')}`,
    'Suggests: bind9-dnsutils',
    'Description: DNS zones as an event-sourced service',
    ' Every change of a zone is an event in an append-only journal with the serial of',
    ' the zone. An HTTP API and a command line write it; secondaries follow by NOTIFY,',
    ' AXFR, IXFR and a catalog zone; dynamic updates and DNSSEC are built in.',
    '',
  ].join('\n');
}

/** As dpkg counts: each file, rounded up to KiB. */
function sizeOf(tree: string): number {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/DEBIAN'))
    .map((entry) => Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 1024))
    .reduce((sum, size) => sum + size, 0);
}

if (import.meta.main) {
  const [executable = join(root, 'dist/zonebook'), folder = join(root, 'dist')] =
    process.argv.slice(2);
  console.log(buildDebianPackage(resolve(executable), resolve(folder)));
}
