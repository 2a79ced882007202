/** What was done to the keys of a zone, newest first: each step by its name, with the way to the zone as it was then. */
import { type Event, get, type EventPage, type Zone } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { at } from '../moment.ts';
import { hrefOf } from '../router.ts';
import { isRoutine } from '../routine.ts';
import { actorText } from '../words.ts';
import { Answered } from './states.tsx';
import { Table, type TableColumn } from './table.tsx';
import { Ago, visible } from './text.tsx';

/** Steps that are listed; the timeline has all. */
const mostSteps = 20;
/** How often events are asked for to find as many, between renewals of signatures. */
const questions = 5;

const names: Readonly<Record<string, string>> = {
  enabled: 'Signing began',
  disabled: 'Signing ended',
  'policy-moved': 'Moved to another policy',
  'key-published': 'New key published',
  'keys-promoted': 'New key took over',
  'keys-removed': 'Old key removed',
  'keys-aborted': 'Roll aborted',
  'cds-published': 'CDS and CDNSKEY published',
  'withdrawal-started': 'Parent asked to remove the DS',
  'withdrawal-cancelled': 'Parent asked to keep the DS',
  're-signed': 'All signatures made again',
};

async function readSteps(zone: string, signal: AbortSignal): Promise<readonly Event[]> {
  const steps: Event[] = [];
  let before: number | undefined;
  for (let count = 0; count < questions && steps.length < mostSteps; count++) {
    const query = { zone, kind: 'zone.signed', until: at.value, limit: 100, before };
    const page = await get<EventPage>('/events', query, signal);
    steps.push(...page.items.filter((event) => event.signing !== null && !isRoutine(event)));
    if (page.next_before === null) break;
    before = page.next_before;
  }
  return steps.slice(0, mostSteps);
}

const columnsOf = (zone: string): readonly TableColumn<Event>[] => [
  {
    label: 'Step',
    cell: ({ signing }) => names[signing!.reason] ?? signing!.reason.replaceAll('-', ' '),
  },
  { label: 'Keys', cell: ({ signing }) => signing!.key_tags.join(', ') },
  { label: 'When', cell: (event) => <Ago time={event.at} /> },
  { label: 'By', cell: (event) => visible(actorText(event)) },
  { label: 'Reason', cell: ({ reason }) => visible(reason ?? '') },
  {
    label: 'Then',
    cell: (event) => (
      <a href={hrefOf(['zones', zone, 'records'], { at: event.at })}>
        The zone at serial {event.serial}
      </a>
    ),
  },
];

export function KeyHistory({ zone: { name, serial } }: { readonly zone: Zone }) {
  const loaded = useLoaded((signal) => readSteps(name, signal), [name, serial, at.value]);
  return (
    <section aria-label="Past steps">
      <h2>Past steps</h2>
      <Answered loaded={loaded}>
        {(steps) =>
          steps.length === 0 ? (
            <p class="muted">None that is kept.</p>
          ) : (
            <Table
              caption="Past steps"
              columns={columnsOf(name)}
              items={steps}
              keyOf={({ seq }) => seq}
            />
          )
        }
      </Answered>
      <p>
        <a href={hrefOf(['zones', name, 'timeline'], { kind: 'zone.signed' })}>
          All steps, and renewals of signatures
        </a>
      </p>
    </section>
  );
}
