/**
 * The effective configuration as TOML, for `zonebook config show`: every key with its sentence.
 *
 * What is printed reads back as the same configuration. No key is secret: secrets sit in files of
 * their own, and only their paths stand here.
 */
import { stringify } from 'smol-toml';
import { type Config, namesOf } from './config.ts';
import { type ConfigKey, configKeys } from './config-keys.ts';

export function printConfig(config: Config): string {
  const lines = [`# Read from ${JSON.stringify(config.configFile) ?? 'built-in defaults'}.`];
  for (const [section, keys] of bySection()) {
    if (section !== '') lines.push('', `[${section}]`);
    for (const key of keys) {
      const name = key.path.slice(section === '' ? 0 : section.length + 1);
      const value = valueAt(config, key.path);
      lines.push(`# ${key.doc}`);
      lines.push(value === undefined ? `# ${name} is unset` : stringify({ [name]: value }).trim());
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The table's keys gathered by section, as TOML allows each section to be opened once only. */
function bySection(): Map<string, ConfigKey[]> {
  const sections = new Map<string, ConfigKey[]>();
  for (const key of configKeys) {
    const section = key.path.split('.').slice(0, -1).join('.');
    sections.set(section, [...(sections.get(section) ?? []), key]);
  }
  return sections;
}

/** The value of a key in a configuration, by the path it has in TOML. */
export function valueAt(config: Config, path: string): unknown {
  return namesOf(path).reduce<unknown>(
    (section, name) => (section as Record<string, unknown>)[name],
    config,
  );
}
