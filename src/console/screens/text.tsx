/** A zone as a zone file: read at any moment, and edited, checked and applied as a whole now. */
import { useState } from 'preact/hooks';
import { get, getText, type Listed, pathWith, readVersion, type Zone, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { deletedId } from '../deleted.ts';
import { type Draft, dropDraft, readDraft } from '../draft.ts';
import { useLoaded } from '../loading.ts';
import { at, isEarlier } from '../moment.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { TextEditor } from '../parts/text-editor.tsx';

/** Records of a zone that is not shown as text: some 500 kB. */
export const maxRecords = 10_000;

interface Loaded {
  readonly round: number;
  readonly records: number;
  /** Undefined for a zone that is too large. */
  readonly base: Draft | undefined;
}

/** The zone file of a version that is certain, though the zone moves meanwhile. */
async function loadText(zone: string, round: number, signal: AbortSignal): Promise<Loaded> {
  const counting = { zone_name: zone, limit: 1, at: at.value };
  const { pagination } = await get<Listed<unknown>>('/records', counting, signal);
  const records = pagination.total;
  if (records > maxRecords) return { round, records, base: undefined };
  const current = await readVersion(zone, signal);
  const version = isEarlier.value ? { at: at.value } : { serial: current.serial };
  const text = await getText(zonePath(zone, '/export'), version, signal);
  return { round, records, base: { ...current, text } };
}

export function ZoneText({ zone }: { readonly zone: Zone }) {
  const [round, setRound] = useState(0);
  const loaded = useLoaded(
    (signal) => loadText(zone.name, round, signal),
    [zone.name, at.value, round],
  );
  const again = () => {
    dropDraft(zone.name);
    setRound(round + 1);
  };
  return (
    <section aria-label="Text">
      <Answered loaded={loaded}>
        {({ round: of, records, base }) => {
          if (of !== round) return null;
          if (base === undefined) return <TooLarge zone={zone} records={records} />;
          if (isEarlier.value) return <EarlierText zone={zone} text={base.text} />;
          return (
            <TextEditor
              key={round}
              zone={zone}
              base={base}
              draft={readDraft(zone.name)}
              again={again}
            />
          );
        }}
      </Answered>
    </section>
  );
}

export function EarlierText({ zone, text }: { readonly zone: Zone; readonly text: string }) {
  return (
    <>
      <p>
        <a download={`${zone.name}.zone`} href={exportHref(zone)}>
          Download
        </a>
      </p>
      <textarea
        class="zone-file"
        aria-label={`Zone file of ${zone.name}`}
        value={text}
        readOnly
        wrap="off"
        rows={24}
      />
    </>
  );
}

/** The file at the moment of the page. */
export function exportHref({ name }: Zone): string {
  return pathWith(zonePath(name, '/export'), { at: at.value, deleted_id: deletedId.value });
}

function TooLarge({ zone, records }: { readonly zone: Zone; readonly records: number }) {
  return (
    <Empty>
      <p>
        The zone has {counted(records, 'record')}; up to {counted(maxRecords, 'record')} are shown
        as text here. For larger ones:
      </p>
      <pre>
        {`zonebook zone export ${zone.name} > FILE\n`}
        {`zonebook zone import ${zone.name} FILE --mode replace --dry-run`}
      </pre>
    </Empty>
  );
}
