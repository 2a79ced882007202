/** The Debian package, installed into a root of its own, run there, upgraded and removed by dpkg. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { peer } from '../support/peers.ts';
import { storyWithPeers } from '../support/story.ts';
import { build, buildFolder } from './executable.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

storyWithPeers('dpkg', 'dpkg-deb')('the Debian package', () => {
  const built = buildFolder();
  const target = join(built.path, 'root');
  let file = '';

  beforeAll(() => {
    const executable = join(built.path, 'zonebook');
    build(executable);
    const script = join(root, 'scripts/packaging/debian.ts');
    file = execFileSync(process.execPath, [script, executable, built.path], {
      encoding: 'utf8',
    }).trim();
    mkdirSync(join(target, 'var/lib/dpkg'), { recursive: true });
    writeFileSync(join(target, 'var/lib/dpkg/status'), '');
  });
  afterAll(() => built.remove());

  /** dpkg on that root: its scripts run outside of it, and are told so by DPKG_ROOT. */
  function dpkg(...action: string[]): string {
    const terms = [`--root=${target}`, `--log=${join(built.path, 'dpkg.log')}`];
    const forced = ['--force-not-root', '--force-script-chrootless', '--force-depends'];
    const { status, stdout, stderr } = spawnSync(peer('dpkg')!, [...terms, ...forced, ...action], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`dpkg ${action.join(' ')}: ${status} ${stdout} ${stderr}`);
    return stdout + stderr;
  }

  const at = (path: string) => join(target, path);

  it('says what it is and what it needs', () => {
    const fields = execFileSync(peer('dpkg-deb')!, ['--field', file], { encoding: 'utf8' });
    expect(fields).toContain(`Package: zonebook\nVersion: ${manifest.version}\n`);
    expect(fields).toMatch(/^Architecture: (?:amd64|arm64)$/m);
    expect(fields).toMatch(/^Depends: .*libatomic1.*libc6.*libstdc\+\+6/m);
  });

  it('belongs to root, and nobody else may write what is in it', () => {
    const listing = execFileSync(peer('dpkg-deb')!, ['--contents', file], { encoding: 'utf8' });
    for (const line of listing.trim().split('\n')) {
      expect(line).toMatch(/^[d-]rw[x-]r-[x-]r-[x-] root\/root /);
    }
  });

  it('is installed, with all that belongs to it', () => {
    dpkg('--install', file);
    expect(statSync(at('usr/bin/zonebook')).mode & 0o777).toBe(0o755);
    const unit = readFileSync(at('usr/lib/systemd/system/zonebook.service'), 'utf8');
    const [, start] = /^ExecStart=(\S+)/m.exec(unit)!;
    expect(existsSync(at(start!))).toBe(true);
    const manual = gunzipSync(readFileSync(at('usr/share/man/man1/zonebook.1.gz'))).toString();
    expect(manual).toContain('.TH ZONEBOOK 1');
    const bash = readFileSync(at('usr/share/bash-completion/completions/zonebook'), 'utf8');
    expect(bash).toContain('complete');
    expect(readFileSync(at('usr/share/zsh/vendor-completions/_zonebook'), 'utf8')).toMatch(
      /^#compdef zonebook/,
    );
    const changes = gunzipSync(readFileSync(at('usr/share/doc/zonebook/changelog.gz'))).toString();
    expect(changes).toMatch(
      /^zonebook \(\S+\) unstable; urgency=medium\n\n {2}\* .*\n[\s\S]*\n -- .+ <.+> {2}\w{3}, \d\d /,
    );
    expect(readFileSync(at('usr/share/doc/zonebook/copyright'), 'utf8')).toContain('Node.js');
  });

  it('has an executable that reads the configuration it comes with', () => {
    const config = at('etc/zonebook/zonebook.toml');
    const shown = execFileSync(at('usr/bin/zonebook'), ['config', 'show', '--config', config], {
      encoding: 'utf8',
      env: {},
    });
    expect(shown).toContain('/var/lib/zonebook');
    const version = execFileSync(at('usr/bin/zonebook'), ['--version'], { env: {} });
    expect(version.toString()).toBe(`${manifest.version}\n`);
  });

  it('keeps a changed configuration when it is installed again, and when it is removed', () => {
    const config = at('etc/zonebook/zonebook.toml');
    writeFileSync(config, 'data_dir = "/srv/zonebook"\n');
    dpkg('--force-confdef', '--force-confold', '--install', file);
    expect(readFileSync(config, 'utf8')).toContain('/srv/zonebook');
    dpkg('--remove', 'zonebook');
    expect(existsSync(at('usr/bin/zonebook'))).toBe(false);
    expect(readFileSync(config, 'utf8')).toContain('/srv/zonebook');
  });

  it('leaves the zones when it is purged, and says so', () => {
    mkdirSync(at('var/lib/zonebook'), { recursive: true });
    writeFileSync(at('var/lib/zonebook/zonebook.db'), '');
    expect(dpkg('--purge', 'zonebook')).toContain('stay in /var/lib/zonebook');
    expect(existsSync(at('etc/zonebook/zonebook.toml'))).toBe(false);
    expect(existsSync(at('var/lib/zonebook/zonebook.db'))).toBe(true);
    rmSync(at('var/lib/zonebook'), { recursive: true });
  });
});
