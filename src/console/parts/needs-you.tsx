/** What needs somebody, each leading to the screen that mends it or says what to do; nothing where nothing does. */
import { get, type Listed, type Trouble, type Zone } from '../api.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { visible } from './text.tsx';

interface Need {
  readonly what: string;
  readonly href: string;
}

/** Zones that are named; how many more there are is said. */
const mostNamed = 5;

const zonesThat = (query: Readonly<Record<string, string>>, signal: AbortSignal) =>
  get<Listed<Zone>>('/zones', { ...query, limit: mostNamed }, signal);

/** Zones whose signing waits or has trouble: two questions, however many there are. */
async function signingNeeds(signal: AbortSignal): Promise<readonly Need[]> {
  if (!may(undefined, 'dnssec:read')) return [];
  const [all, { items: waiting }] = await Promise.all([
    zonesThat({ signing: 'troubled' }, signal),
    zonesThat({ signing: 'waiting' }, signal),
  ]);
  // Both are sorted by name: the first ones that wait have each of the first ones that does.
  const named = all.items.map(({ id, name }) => ({
    what: waiting.some((zone) => zone.id === id)
      ? `${name}: a step of its keys waits, such as for its DS.`
      : `${name}: its signing has trouble.`,
    href: hrefOf(['zones', name, 'dnssec']),
  }));
  const more = all.pagination.total - named.length;
  if (more <= 0) return named;
  const what = `${counted(more, 'more zone')} like these.`;
  return [...named, { what, href: hrefOf(['zones'], { signing: 'troubled' }) }];
}

async function secondaryNeeds(signal: AbortSignal): Promise<readonly Need[]> {
  if (!may(undefined, 'zone:read')) return [];
  const { items, pagination } = await zonesThat({ lagging: 'true' }, signal);
  const [first] = items;
  if (first === undefined) return [];
  const others = pagination.total - 1;
  const which = others === 0 ? first.name : `${first.name} and ${counted(others, 'other zone')}`;
  const href = may(undefined, 'secondary:read', 'secondary:manage')
    ? hrefOf(['secondaries'])
    : hrefOf(['zones'], { lagging: 'true' });
  return [{ what: `Secondaries are behind with ${which}.`, href }];
}

/** What the service knows of itself; zones that are named need not be counted too. */
async function serviceNeeds(signal: AbortSignal): Promise<readonly Need[]> {
  if (!may(undefined, 'zone:update')) return [];
  const { items } = await get<Listed<Trouble>>('/health/troubles', {}, signal);
  const isNamed = may(undefined, 'dnssec:read');
  return items
    .filter(({ metric }) => !isNamed || metric !== 'zonebook_dnssec_foreign_ds_zones_total')
    .map(({ text: what }) => ({ what, href: hrefOf(['health']) }));
}

export function NeedsYou() {
  const { value = [] } = useLoaded(async (signal) => {
    const asked = [serviceNeeds, signingNeeds, secondaryNeeds].map((ask) => ask(signal));
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }, []);
  if (value.length === 0) return null;
  return (
    <section aria-label="Needs you">
      <ul class="troubles">
        {value.map(({ what, href }) => (
          <li key={what} class="judged">
            <a href={href}>{visible(what)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
