/** Secondaries as JSON (interface 2.6). */
import { formatTime } from '../../base/clock.ts';
import type { Secondary } from '../../domain/secondary.ts';

export function presentSecondary(secondary: Secondary) {
  return {
    id: secondary.id,
    name: secondary.name,
    address: secondary.address,
    enabled: secondary.enabled,
    notify_key_name: secondary.notifyKeyName,
    created_at: formatTime(secondary.createdAt),
  };
}
