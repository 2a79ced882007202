/** A deleted zone as a zone file, to read and to download. */
import { type DeletedZone, getText, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { deletedId } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { at } from '../moment.ts';
import { EarlierText, exportHref, maxRecords } from '../screens/text.tsx';
import { Answered, Empty } from './states.tsx';

export function DeletedText({ zone }: { readonly zone: DeletedZone }) {
  return (
    <section aria-label="Text">
      {zone.records > maxRecords ? <Large zone={zone} /> : <Text zone={zone} />}
    </section>
  );
}

function Text({ zone }: { readonly zone: DeletedZone }) {
  const loaded = useLoaded(
    (signal) => {
      const query = { at: at.value, deleted_id: deletedId.value };
      return getText(zonePath(zone.name, '/export'), query, signal);
    },
    [zone.id, at.value],
  );
  return <Answered loaded={loaded}>{(text) => <EarlierText zone={zone} text={text} />}</Answered>;
}

function Large({ zone }: { readonly zone: DeletedZone }) {
  return (
    <Empty>
      <p>
        The zone has {counted(zone.records, 'record')}; up to {counted(maxRecords, 'record')} are
        shown as text here.
      </p>
      <p>
        <a download={`${zone.name}.zone`} href={exportHref(zone)}>
          Download
        </a>
      </p>
    </Empty>
  );
}
