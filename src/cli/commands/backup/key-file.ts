/** Where the key file is that seals secrets of the database. */
import type { LoadedConfig } from '../../services.ts';

export function keyFileOf({ settings }: LoadedConfig): string {
  return String(settings['dnssec.key_encryption_file']);
}
