/** A difference as files, and the zone files of its two sides. */
import { pathWith, zonePath } from '../api.ts';
import { type Sides, zoneOfA } from '../difference.ts';
import { type DiffForm, differenceFile, maxSavedRrsets } from '../difference-file.ts';
import { mayWhole } from '../permissions.ts';
import { deletedId, scopeOf } from '../deleted.ts';
import { SaveButton } from './save-button.tsx';

const forms: readonly (readonly [DiffForm, label: string, ending: string, mediaType: string])[] = [
  ['unified', 'Unified text', 'diff', 'text/plain'],
  ['json', 'JSON', 'json', 'application/json'],
  ['nsupdate', 'nsupdate script', 'nsupdate', 'text/plain'],
];

interface DifferenceFilesProps {
  readonly sides: Sides;
  /** Of A and B. */
  readonly serials: readonly [number, number | null];
}

export function DifferenceFiles({ sides, serials: [first, last] }: DifferenceFilesProps) {
  const zoneA = zoneOfA(sides);
  const name = [zoneA, first, ...(sides.other === '' ? [] : [sides.zone]), last].join('-');
  const sources = [
    ['A', zoneA, first],
    ['B', sides.zone, last],
  ] as const;
  return (
    <details class="files">
      <summary>Save as a file</summary>
      <ul class="controls">
        {forms.map(([form, label, ending, mediaType]) => (
          <li key={form}>
            <SaveButton
              name={`${name}.${ending}`}
              mediaType={mediaType}
              textsOf={(saving) => differenceFile(form, sides, saving)}
            >
              {label}
            </SaveButton>
          </li>
        ))}
        {sources.map(
          ([side, zone, serial]) =>
            serial !== null &&
            mayWhole(scopeOf(zone), 'record:read') && (
              <li key={side}>
                <a
                  download={`${zone}-${serial}.zone`}
                  href={pathWith(zonePath(zone, '/export'), {
                    serial,
                    deleted_id: deletedId.value,
                  })}
                >
                  Zone file of {side}
                </a>
              </li>
            ),
        )}
      </ul>
      <p class="muted">
        A file of the difference has up to {maxSavedRrsets.toLocaleString('en')} RRsets, and says
        when there are more. A zone file has all.
      </p>
    </details>
  );
}
