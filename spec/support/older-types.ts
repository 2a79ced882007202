/** Types that versions before decision 20 took as any other. */
import { unreadableTypes } from '../../src/dns/rrtype.ts';

/** Does something as such a version did: MD, MF, NULL and SIG come in. */
export async function asOlderVersion<T>(work: () => Promise<T>): Promise<T> {
  const types = unreadableTypes as Map<number, string>;
  const all = [...types];
  types.clear();
  try {
    return await work();
  } finally {
    for (const each of all) types.set(...each);
  }
}
