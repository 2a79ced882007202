/** What was found in all zones: zones, records of the moment, deleted records, tokens and keys. */
import type { ComponentChildren } from 'preact';
import { get, type Listed, type SearchAnswer, type Zone } from '../api.ts';
import { commandsFor, wordsOf } from '../commands.ts';
import { deletedPath } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { absolute, at } from '../moment.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { relativeName } from '../owner-name.ts';
import { Unicode, Value, valueText, visible } from '../parts/text.tsx';
import { hrefOf, hrefWith, parameter } from '../router.ts';

/** Rows of each kind on a page. */
const limit = 20;
/** Characters from which on records are found. */
const recordCharacters = 3;

export function Search() {
  const q = parameter('q');
  const cursor = parameter('cursor') || undefined;
  const query = { q, limit, cursor, at: at.value || undefined };
  const loaded = useLoaded(
    async (signal) => (q === '' ? undefined : get<SearchAnswer>('/search', query, signal)),
    [q, cursor, at.value],
  );
  return (
    <>
      <header class="head">
        <h1>{q === '' ? 'Search' : `Found for ${visible(q)}`}</h1>
      </header>
      {q === '' ? (
        <Empty>
          <p>
            Type a part of a name, an address, a prefix like 192.0.2.0/24, a word of a value, or
            what you want to do.
          </p>
        </Empty>
      ) : (
        <>
          {q.trim().length < recordCharacters && (
            <p class="muted">Records are found from three characters on.</p>
          )}
          <Commands q={q} />
          <Answered loaded={loaded}>{(found) => found && <Found found={found} />}</Answered>
        </>
      )}
    </>
  );
}

/** Where to do what the words say; in a zone when they name one that is there. */
function Commands({ q }: { readonly q: string }) {
  const { words, zone } = wordsOf(q);
  const { value } = useLoaded(
    async (signal) =>
      zone === '' || words.length === 0
        ? undefined
        : get<Listed<Zone>>('/zones', { name: zone, limit: 1 }, signal),
    [zone, words.length === 0],
  );
  const named = value?.items[0]?.name === zone ? zone : '';
  const commands = commandsFor(words, named);
  if (commands.length === 0) return null;
  return (
    <Group title="Commands">
      {commands.map(({ label, href }) => (
        <li key={label} data-row>
          <a href={href}>{visible(label)}</a>
        </li>
      ))}
    </Group>
  );
}

function Found({ found }: { readonly found: SearchAnswer }) {
  const { zones, records, deleted, actors, next_cursor: cursor } = found;
  const isNothing = [zones, records, deleted, actors].every((rows) => rows.length === 0);
  return (
    <>
      {isNothing && (
        <Empty>
          <p>Nothing was found{cursor === null ? '' : ' so far'}.</p>
        </Empty>
      )}
      {zones.length > 0 && (
        <Group title="Zones">
          {zones.map(({ id, name, deleted: isDeleted }) => (
            <li key={id} data-row>
              <a href={hrefOf(isDeleted ? deletedPath(name, id) : ['zones', name])}>
                {visible(name)}
              </a>
              <Unicode text={name} />
              {isDeleted && <span class="muted"> deleted, in the bin</span>}
            </li>
          ))}
        </Group>
      )}
      {records.length > 0 && (
        <Group title="Records">
          {records.map((record) => (
            <Row key={record.id} of={{ ...record, zone_name: record.zone_name ?? '' }} />
          ))}
        </Group>
      )}
      {deleted.length > 0 && (
        <Group title="Deleted records">
          {deleted.map((record) => (
            <Row
              key={`${record.until.seq} ${record.name} ${record.type} ${record.value}`}
              of={record}
            >
              <span class="muted">
                until <time dateTime={record.until.at}>{absolute(record.until.at)}</time>, serial{' '}
                {record.until.serial}
              </span>
            </Row>
          ))}
        </Group>
      )}
      {actors.length > 0 && (
        <Group title="Tokens and keys">
          {actors.map(({ kind, name }) => (
            <li key={`${kind} ${name}`} data-row>
              <a href={hrefOf(['changes'], { actor: name })}>Changes of {visible(name)}</a>
              <span class="muted"> {kind === 'token' ? 'token' : 'TSIG key'}</span>
            </li>
          ))}
        </Group>
      )}
      {cursor !== null && (
        <p>
          <a rel="next" href={hrefWith({ cursor })}>
            More
          </a>
        </p>
      )}
    </>
  );
}

function Group({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="found">{children}</ul>
    </section>
  );
}

interface FoundRecord {
  readonly name: string;
  readonly type: string;
  readonly value: string | readonly string[];
  readonly priority: number | null;
  readonly zone_name: string;
}

/** A record, which leads to its history. */
function Row({
  of,
  children,
}: {
  readonly of: FoundRecord;
  readonly children?: ComponentChildren;
}) {
  const owner = relativeName(of.name, of.zone_name);
  const href = hrefOf(['zones', of.zone_name, 'timeline'], { name: owner, type: of.type });
  return (
    <li data-row>
      <a href={href}>
        {visible(of.name)} {of.type}
      </a>
      <Unicode text={of.name} /> <Value text={valueText(of.value, of.priority)} /> {children}
    </li>
  );
}
