/** The option of every command that the API can try without doing it. */
import { flag } from '../field.ts';

export const dryRunOption = flag('check it and say what would change; change nothing');

/** The verb of a headline: `created`, or `would create`. */
export function done({ dry_run: isDryRun }: { dry_run: boolean }, verb: string): string {
  if (isDryRun) return `would ${verb}`;
  return verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
}
