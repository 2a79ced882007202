/** Why somebody may do something, or what they lack: judged by the service as it judges requests. */
import { type Explanation, get, type Listed } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { actionNames, holds } from '../permissions.ts';
import { go, hrefWith, parameter } from '../router.ts';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

/** Who can be asked about: the caller, and with access:manage each token and each key. */
interface Named {
  readonly name: string;
}
const maxNames = 1000;

async function readSubjects(signal: AbortSignal): Promise<readonly string[]> {
  if (!holds(undefined, 'access:manage')) return [];
  const names = async (path: string, kind: string) => {
    const { items } = await get<Listed<Named>>(path, { limit: maxNames }, signal);
    return items.map(({ name }) => `${kind}=${name}`);
  };
  const [tokens, keys] = await Promise.all([
    names('/tokens', 'token'),
    names('/tsig-keys', 'tsig_key'),
  ]);
  return [...tokens, ...keys];
}

const words = { token: 'token', tsig_key: 'TSIG key' } as const;

function subjectText(subject: string): string {
  const [kind, name] = subject.split(/=(.*)/s);
  return `${words[kind as keyof typeof words]} ${visible(name ?? '')}`;
}

export function WhyNot() {
  const loaded = useLoaded(readSubjects, []);
  return (
    <section aria-label="Why not?">
      <h2>Why not?</h2>
      <Answered loaded={loaded}>{(subjects) => <Question subjects={subjects} />}</Answered>
      {parameter('action') !== '' && <Answer />}
    </section>
  );
}

const fields = [
  ['zone', 'Zone', 'all zones when empty'],
  ['name', 'Name', 'relative to the zone; all when empty'],
  ['type', 'Type', 'all when empty'],
] as const;

function Question({ subjects }: { readonly subjects: readonly string[] }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => String(given.get(name) ?? '').trim();
    const names = ['who', 'action', 'zone', 'name', 'type'];
    go(hrefWith(Object.fromEntries(names.map((name) => [name, field(name)]))));
  };
  const asked = parameter('action') || 'record:create';
  return (
    <form class="filters" onSubmit={submit}>
      <label class="filter">
        <span>Who</span>
        <select name="who">
          <option value="">myself</option>
          {subjects.map((subject) => (
            <option key={subject} value={subject} selected={subject === parameter('who')}>
              {subjectText(subject)}
            </option>
          ))}
        </select>
      </label>
      <label class="filter">
        <span>Action</span>
        <select name="action">
          {actionNames.map((action) => (
            <option key={action} selected={action === asked}>
              {action}
            </option>
          ))}
        </select>
      </label>
      {fields.map(([name, label, hint]) => (
        <label key={name} class="filter">
          <span>{`${label} (${hint})`}</span>
          <input name={name} defaultValue={parameter(name)} autocomplete="off" />
        </label>
      ))}
      <button type="submit">Explain</button>
    </form>
  );
}

function Answer() {
  const [kind, name] = parameter('who').split(/=(.*)/s);
  const query = {
    token: kind === 'token' ? name : undefined,
    tsig_key: kind === 'tsig_key' ? name : undefined,
    action: parameter('action'),
    zone: parameter('zone'),
    name: parameter('name'),
    type: parameter('type'),
  };
  const loaded = useLoaded(
    (signal) => get<{ explanation: Explanation }>('/access/explain', query, signal),
    Object.values(query),
  );
  return (
    <Answered loaded={loaded}>
      {({ explanation }) => (
        <div class={explanation.allowed ? 'judged allowed' : 'judged'} role="status">
          <p>
            <strong>{explanation.allowed ? 'Yes: ' : 'No: '}</strong>
            {visible(explanation.message)}
          </p>
          {explanation.sees_zone === false && (
            <p>No grant reaches the zone: to them it does not exist.</p>
          )}
          {explanation.reason_required && <p>A write needs a reason besides.</p>}
          {explanation.needed_grant !== null && <Needed explanation={explanation} />}
        </div>
      )}
    </Answered>
  );
}

/** The smallest grant that would allow it, as the command that makes it. */
function Needed({ explanation }: { readonly explanation: Explanation }) {
  const { needed_grant: needed, role_name: role } = explanation;
  if (needed === null || role === null) return null;
  const {
    zone_name: zone,
    actions: wanted,
    record_name_pattern: name,
    record_types: types,
  } = needed;
  const parts = [
    `${visible(wanted.join(', '))} in ${zone === null ? 'all zones' : visible(zone)}`,
    `names ${visible(name)}`,
    `types ${visible(types)}`,
  ];
  return (
    <p>
      Role {visible(role)} would need: {parts.join(', ')}.
    </p>
  );
}
