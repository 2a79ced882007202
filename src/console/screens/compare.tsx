/** Two moments of a zone beside each other, or two zones. */
import { get, type Zone, zonePath } from '../api.ts';
import { deletedId } from '../deleted.ts';
import { type Sides, zoneOfA } from '../difference.ts';
import { useLoaded } from '../loading.ts';
import { may, mayWhole } from '../permissions.ts';
import { CompareFile } from '../parts/compare-file.tsx';
import { Difference } from '../parts/difference.tsx';
import { FilterField, PartFields } from '../parts/filter.tsx';
import { Moments } from '../parts/moments.tsx';
import { SettingsDiff } from '../parts/settings-diff.tsx';
import { go, hrefWith, parameter } from '../router.ts';
import { settingChanges } from '../zone-settings.ts';

export function Compare({ zone }: { readonly zone: Zone }) {
  const sides: Sides = {
    zone: zone.name,
    other: deletedId.value === undefined ? parameter('with') : '',
    from: parameter('from') || parameter('at'),
    to: parameter('to'),
    name: parameter('name'),
    type: parameter('type').toUpperCase(),
    value: parameter('value'),
    actor: parameter('actor'),
  };
  const key = JSON.stringify(sides);
  return (
    <section aria-label="Compare">
      <SidesForm key={[sides.from, sides.to, sides.other].join(' ')} zone={zone} sides={sides} />
      {sides.from === '' && sides.other === '' ? (
        <p class="muted">Give a serial, a tag, a time or a zone to compare with.</p>
      ) : (
        <>
          <SettingsBetween key={`${key} ${zone.serial} settings`} sides={sides} />
          <div class="filters">
            <PartFields />
            {sides.other === '' && <FilterField name="actor" label="Changed by" />}
          </div>
          <Difference key={`${key} ${zone.serial}`} zone={zone} sides={sides} />
        </>
      )}
      {deletedId.value === undefined && mayWhole(zone.name, 'record:read') && (
        <CompareFile zone={zone} isAlone={sides.from === '' && sides.other === ''} />
      )}
    </section>
  );
}

/** Settings that differ; nothing where none does, or the caller may not read them. */
function SettingsBetween({ sides }: { readonly sides: Sides }) {
  const { zone, from, to } = sides;
  const zoneA = zoneOfA(sides);
  const isAllowed = may(zone, 'zone:read') && may(zoneA, 'zone:read');
  const { value } = useLoaded(async (signal) => {
    const read = (name: string, at: string) =>
      get<{ zone: Zone }>(zonePath(name), { at }, signal).then((answer) => answer.zone);
    if (deletedId.value !== undefined) return undefined;
    return isAllowed ? Promise.all([read(zoneA, from), read(zone, to)]) : undefined;
  }, []);
  if (value === undefined || settingChanges(...value).length === 0) return null;
  return <SettingsDiff before={value[0]} after={value[1]} />;
}

interface SidesFormProps {
  readonly zone: Zone;
  readonly sides: Sides;
}

function SidesForm({ zone, sides: { from, to, other } }: SidesFormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const side = (name: string) => String(given.get(name) ?? '').trim();
    const named = side('with').replace(/\.$/, '').toLowerCase();
    const other = named === zone.name ? '' : named;
    go(hrefWith({ from: side('from'), to: side('to'), with: other, at: undefined }));
  };
  const moment = { list: 'moments', autocomplete: 'off', spellcheck: false } as const;
  return (
    <form class="filters" onSubmit={submit}>
      <label class="filter">
        <span>A: serial, tag:NAME or time</span>
        <input name="from" defaultValue={from} placeholder="2026-11-20T14:00:00Z" {...moment} />
      </label>
      {deletedId.value === undefined && (
        <label class="filter">
          <span>A: of which zone (this one when empty)</span>
          <input name="with" defaultValue={other} autocomplete="off" spellcheck={false} />
        </label>
      )}
      <label class="filter">
        <span>B: the same ({deletedId.value === undefined ? 'now' : 'the end'} when empty)</span>
        <input name="to" defaultValue={to} {...moment} />
      </label>
      <button type="submit">Compare</button>
      <Moments zone={zone} id="moments" />
    </form>
  );
}
