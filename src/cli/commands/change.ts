/** Changes: the option to try one without doing it, and the words that tell of it. */
import { flag } from '../field.ts';

export const dryRunOption = flag('check it and say what would change; change nothing');

/** The verb of a headline: `created`, or `would create`. */
export function done({ dry_run: isDryRun }: { dry_run: boolean }, verb: string): string {
  if (isDryRun) return `would ${verb}`;
  return verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
