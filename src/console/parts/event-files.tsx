/** The changes of a list as files: all that its filter finds, not only those on the page. */
import { type Event, type EventPage, get, type Query } from '../api.ts';
import { fileValue, changesOf } from '../diff-text.ts';
import { type Column, listFile, type ListForm, listForms } from '../list-file.ts';
import { SaveButton } from './save-button.tsx';

/** Events that are asked for at once: each may have a difference of 100 RRsets. */
const pageEvents = 200;

async function* pagesOf(query: Query, signal: AbortSignal): AsyncGenerator<readonly Event[]> {
  let before: number | undefined;
  do {
    const asked = { ...query, before, limit: pageEvents };
    const { items, next_before: next } = await get<EventPage>('/events', asked, signal);
    yield items;
    before = next ?? undefined;
  } while (before !== undefined);
}

/** A record a line, as in a zone file, behind what became of it. */
function recordsOf({ diff }: Event): string {
  const lines = (diff?.entries ?? []).flatMap((entry) => {
    const { removed, added } = changesOf(entry);
    const text = (value: (typeof added)[number]) =>
      `${entry.name} ${value.ttl} ${entry.type} ${fileValue(entry.type, value)}`;
    return [
      ...removed.map((value) => `removed ${text(value)}`),
      ...added.map((value) => `added ${text(value)}`),
    ];
  });
  return lines.join('\n');
}

const columns: readonly Column<Event>[] = [
  { name: 'seq', of: ({ seq }) => seq },
  { name: 'at', of: ({ at }) => at },
  { name: 'kind', of: ({ kind }) => kind },
  { name: 'zone', of: ({ zone }) => zone?.name ?? null },
  { name: 'serial', of: ({ serial }) => serial },
  { name: 'actor_kind', of: ({ actor }) => actor?.kind ?? null },
  { name: 'actor', of: ({ actor }) => actor?.name ?? null },
  { name: 'source', of: ({ source }) => source },
  { name: 'reason', of: ({ reason }) => reason },
  { name: 'reference', of: ({ reference }) => reference },
  { name: 'request_id', of: ({ request_id: id }) => id },
  { name: 'records', of: recordsOf },
  { name: 'records_truncated', of: ({ diff_truncated: isCut }) => isCut },
  { name: 'settings_changed', of: ({ settings_changed: names }) => names.join(' ') },
  { name: 'details', of: ({ details }) => (details === null ? null : JSON.stringify(details)) },
  { name: 'redacted', of: ({ redacted }) => redacted },
  { name: 'hash', of: ({ hash }) => hash },
];

export function EventFiles({ query, name }: { readonly query: Query; readonly name: string }) {
  return (
    <details class="files">
      <summary>Save as a file</summary>
      <ul class="controls">
        {(Object.keys(listForms) as ListForm[]).map((form) => (
          <li key={form}>
            <SaveButton
              name={`${name}.${form}`}
              mediaType={listForms[form].mediaType}
              textsOf={(saving) => {
                const pages = pagesOf(query, saving.signal);
                return listFile(form, { columns, pages, noun: 'change' }, saving);
              }}
            >
              {listForms[form].label}
            </SaveButton>
          </li>
        ))}
      </ul>
      <p class="muted">
        All changes that the filters find, newest first. A CSV names up to 100 RRsets of each change
        and says where there are more; NDJSON has each as the service tells it.
      </p>
    </details>
  );
}
