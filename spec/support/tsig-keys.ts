/** TSIG keys of a running service, each with a role of its own. */
import type { PeerKey } from './secondaries.ts';
import type { RunningService } from './service.ts';

/** Makes a role with grants of zone:transfer in these zones (`null` means all), and a key of it. */
export async function makeTransferKey(
  service: RunningService,
  name: string,
  zoneNames: readonly (string | null)[],
  algorithm = 'hmac-sha256',
): Promise<PeerKey> {
  const role = `role-of-${name}`;
  await service.must('POST', '/roles', { name: role });
  for (const zone_name of zoneNames) {
    const grant = { actions: ['zone:transfer'], zone_name };
    await service.must('POST', `/roles/${role}/grants`, grant);
  }
  const { secret } = await service.must('POST', '/tsig-keys', { name, role_name: role, algorithm });
  return { name, algorithm, secret };
}
