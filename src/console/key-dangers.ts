/** What becomes bogus, and until when, where a check of a change of keys is skipped. */
import type { DnssecStatus, Zone } from './api.ts';
import { durationText } from './duration.ts';
import { bearsAnyDs, keysText, type Successors } from './key-groups.ts';
import { absolute } from './moment.ts';
import type { Skip } from './write.ts';

/** Until when caches may hold a DS that the parent serves, where its TTL is known. */
function dsEnd({ delegation }: DnssecStatus): string {
  const ttl = delegation?.ds_ttl ?? null;
  if (ttl === null) return 'the TTL of that DS (often a day) is over';
  const at = absolute(new Date(Date.now() + ttl * 1000).toISOString());
  return `the TTL of that DS (${durationText(ttl)}) is over, which is ${at} at the earliest`;
}

export function promotionSkips(
  zone: Zone,
  { keys, replaced }: Successors,
  status: DnssecStatus,
): readonly Skip[] {
  const [fresh, old] = [keysText(keys), keysText(replaced)];
  const eligible = Math.max(...keys.map(({ eligible_at: at }) => Date.parse(at ?? '') || 0));
  const skips: Skip[] = [];
  if (eligible > Date.now()) {
    const until = absolute(new Date(eligible).toISOString());
    skips.push({
      name: 'skip_holddown',
      label: 'Do not wait until caches know the new key',
      danger: `Resolvers that hold the DNSKEY records without ${fresh} find what it signs bogus, until ${until}.`,
    });
  }
  if (bearsAnyDs(keys)) {
    skips.push({
      name: 'skip_ds_check',
      label: 'Do not ask the parent for the DS',
      danger:
        `The DS of ${old} stays valid, as it goes on signing the DNSKEY records. Where a server of the ` +
        `parent drops that DS before it has the one of ${fresh}, all of the zone is bogus, until it has ` +
        `it and ${dsEnd(status)}.`,
    });
    skips.push({
      name: 'skip_secondaries',
      label: 'Do not wait for secondaries that are behind',
      danger:
        `Resolvers that get the DNSKEY records without ${fresh} from such a secondary find what it signs ` +
        `bogus, until the secondary has caught up and ${durationText(zone.default_ttl)} more. ` +
        `The removal of ${old} does not wait for it either.`,
    });
  }
  return skips;
}

/** Of a key that is to go before it has taken over. */
export function relianceSkip({ keys, replaced }: Successors): Skip {
  const [fresh, old] = [keysText(keys), keysText(replaced)];
  return {
    name: 'skip_ds_check',
    label: 'Do not ask the parent whether it relies on the key',
    danger:
      `Where the DS of ${fresh} is the only one at a server of the parent, all of the zone is bogus, ` +
      `until that has the DS of ${old} and the TTL of the other one is over.`,
  };
}

export function disableDanger(status: DnssecStatus): Skip {
  return {
    name: 'skip_ds_check',
    label: 'Do not ask the parent whether it has a DS',
    danger:
      'While a server of the parent has a DS, validators find all of the zone bogus: nobody behind one ' +
      `reaches it. It stays so until the DS is removed and ${dsEnd(status)}.`,
  };
}
