/** One role: what it may do, in sentences, who holds it, and the ways to change both. */
import { useState } from 'preact/hooks';
import { get, type Listed, type Role, type RoleGrant } from '../api.ts';
import { counted } from '../counted.ts';
import { grantText } from '../grants.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { may } from '../permissions.ts';
import { hrefWith } from '../router.ts';
import { pending } from '../write.ts';
import { GrantForm, RoleForm, rolePath } from './access-forms.tsx';
import { GrantTable } from './grant-table.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

/** Grants of a role that are shown. */
const maxGrants = 1000;

interface Found {
  readonly role: Role;
  readonly grants: readonly RoleGrant[];
}

async function readRole(name: string, signal: AbortSignal): Promise<Found> {
  const [{ role }, { items: grants }] = await Promise.all([
    get<{ role: Role }>(rolePath(name), {}, signal),
    get<Listed<RoleGrant>>(rolePath(name, '/grants'), { limit: maxGrants }, signal),
  ]);
  return { role, grants };
}

export function RoleScreen({ name }: { readonly name: string }) {
  const loaded = useLoaded((signal) => readRole(name, signal), [name]);
  return (
    <>
      <header class="head">
        <h1>Role {visible(name)}</h1>
        <a href={hrefWith({ role: undefined })}>All roles</a>
      </header>
      <Answered loaded={loaded}>{(found) => <OneRole {...found} />}</Answered>
    </>
  );
}

function OneRole({ role, grants }: Found) {
  const { description, builtin, reason_required: needsReason } = role;
  const canChange = !builtin && !isEarlier.value;
  return (
    <>
      {description !== null && <p>{visible(description)}</p>}
      <p class="muted">
        {counted(role.token_count, 'token')} and {counted(role.tsig_key_count, 'TSIG key')} have it.
        {needsReason && ' Each of their writes needs a reason.'}
      </p>
      <section aria-label="Grants">
        <h2>What it may do</h2>
        {builtin ? (
          <p>Everything. It is built in and can not be changed.</p>
        ) : (
          <>
            {grants.length === 0 && <p class="muted">Nothing yet.</p>}
            <ul class="grants">
              {grants.map((grant) => (
                <li key={grant.id} data-row>
                  <span>{visible(grantText(grant))}</span>
                  {canChange && may(undefined, 'access:manage') && <Revoke grant={grant} />}
                </li>
              ))}
            </ul>
            {grants.length > 0 && <GrantTable grants={grants} />}
          </>
        )}
      </section>
      {canChange && <Changes role={role} />}
    </>
  );
}

function Revoke({ grant }: { readonly grant: RoleGrant }) {
  const text = grantText(grant);
  const start = () => {
    pending.value = {
      title: `Revoke from role ${grant.role_name}: ${text}`,
      button: 'Revoke',
      method: 'DELETE',
      path: rolePath(grant.role_name, `/grants/${grant.id}`),
      hasDryRun: false,
      note: 'It counts no longer from the next request on. What other grants allow stays.',
    };
  };
  return (
    <button type="button" class="quiet" aria-label={`Revoke: ${visible(text)}`} onClick={start}>
      Revoke
    </button>
  );
}

function Changes({ role }: { readonly role: Role }) {
  const [form, setForm] = useState<'grant' | 'role'>();
  const close = () => setForm(undefined);
  const { name } = role;
  const remove = () => {
    pending.value = {
      title: `Delete role ${name}`,
      button: 'Delete role',
      method: 'DELETE',
      path: rolePath(name),
      query: { id: role.id },
      hasDryRun: false,
      note: `It goes with ${counted(role.grant_count, 'grant')}. It is refused while a token or a key has the role.`,
      leadsTo: hrefWith({ role: undefined }),
    };
  };
  return (
    <p class="controls">
      {may(undefined, 'access:manage') && (
        <>
          <button type="button" class="primary" onClick={() => setForm('grant')}>
            New grant
          </button>
          <button type="button" onClick={() => setForm('role')}>
            Change the role
          </button>
          <button type="button" onClick={remove}>
            Delete the role…
          </button>
        </>
      )}
      {form === 'grant' && <GrantForm role={name} onClose={close} />}
      {form === 'role' && <RoleForm role={role} onClose={close} />}
    </p>
  );
}
