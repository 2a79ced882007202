/** How a zone stands now, in its head: whether it is signed, and how many secondaries have it. */
import type { ComponentChildren } from 'preact';
import { get, type Zone, type ZoneStatus, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';

interface ZoneStandingProps {
  readonly zone: Zone;
  readonly isSigned: boolean;
}

export function ZoneStanding({ zone, isSigned }: ZoneStandingProps) {
  return (
    <>
      {may(zone.name, 'dnssec:read') && (
        <Standing name="DNSSEC" zone={zone.name} tab="dnssec">
          {isSigned ? 'signed' : 'unsigned'}
        </Standing>
      )}
      {may(zone.name, 'zone:read') && <Reach zone={zone} />}
    </>
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
