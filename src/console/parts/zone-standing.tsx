/** How a zone stands now, in its head: whether it is signed, and how many secondaries have it. */
import type { ComponentChildren } from 'preact';
import { get, type Listed, type Zone, type ZoneStatus, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';

export function ZoneStanding({ zone }: { readonly zone: Zone }) {
  return (
    <>
      {may(zone.name, 'dnssec:read') && <Signing zone={zone} />}
      {may(zone.name, 'zone:read') && <Reach zone={zone} />}
    </>
  );
}

function Signing({ zone: { id, name, serial } }: { readonly zone: Zone }) {
  const { value } = useLoaded(
    (signal) => get<Listed<Zone>>('/zones', { id, signed: 'true', limit: 1 }, signal),
    [id, serial],
  );
  return (
    <Standing name="DNSSEC" zone={name} tab="dnssec">
      {value && (value.pagination.total > 0 ? 'signed' : 'unsigned')}
    </Standing>
  );
}

function Reach({ zone: { name, serial } }: { readonly zone: Zone }) {
  const { value } = useLoaded(
    (signal) => get<ZoneStatus>(zonePath(name, '/status'), {}, signal),
    [name, serial],
  );
  const all = value?.secondaries.length ?? 0;
  const having = value?.secondaries.filter(({ status }) => status === 'in_sync').length ?? 0;
  const noun = all === 1 ? 'secondary has it' : 'secondaries have it';
  return (
    <Standing name="Secondaries" zone={name} tab="secondaries" isBad={having < all}>
      {value && (all === 0 ? 'none' : `${having} of ${all} ${noun}`)}
    </Standing>
  );
}

interface StandingProps {
  readonly name: string;
  readonly zone: string;
  readonly tab: string;
  readonly isBad?: boolean;
  /** Undefined while it is not known. */
  readonly children: ComponentChildren;
}

function Standing({ name, zone, tab, isBad = false, children }: StandingProps) {
  if (children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <a class={isBad ? 'state bad' : undefined} href={hrefOf(['zones', zone, tab])}>
          {children}
        </a>
      </dd>
    </div>
  );
}
