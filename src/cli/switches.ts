/** Switches with a value. */
import { optionName } from './command.ts';
import { usageFailure } from './failure.ts';
import type { Fields } from './field.ts';

/**
 * Refuses a switch with a value that is neither true nor false, before `--`: yargs takes every other one for false, and
 * `--dry-run=yes` made the change.
 */
export function refuseSwitchValues(words: readonly string[], fields: Fields): void {
  const switches = Object.entries(fields).filter(([, field]) => field.settings.type === 'boolean');
  const names = new Set(switches.flatMap(([name]) => [name, optionName(name)]));
  const end = words.indexOf('--');
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || !names.has(name) || value === 'true' || value === 'false') continue;
    throw usageFailure(`--${name} takes no value, or true or false, not '${value}'`);
  }
}
