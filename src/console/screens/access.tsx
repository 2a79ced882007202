/** Who may do what: tokens, roles, TSIG keys, and the browsers that are logged in. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  get,
  type Listed,
  type Role,
  type RoleGrant,
  type Session,
  type Token,
  type TsigKey,
  type TsigKeyAnswer,
} from '../api.ts';
import { grantText } from '../grants.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { KeyForm, RoleForm, TokenForm } from '../parts/access-forms.tsx';
import { RoleScreen } from '../parts/role.tsx';
import { Answered } from '../parts/states.tsx';
import { WhyNot } from '../parts/why-not.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { may } from '../permissions.ts';
import { hrefWith, parameter } from '../router.ts';
import { show } from '../secret.ts';
import { self } from '../session.ts';
import { pending, say } from '../write.ts';

const most = 1000;

export function Access() {
  const role = parameter('role');
  const isManager = may(undefined, 'access:manage');
  if (role !== '' && isManager) return <RoleScreen key={role} name={role} />;
  return (
    <>
      <header class="head">
        <h1>Access</h1>
        {isManager && !isEarlier.value && <NewOnes />}
      </header>
      <WhyNot />
      {self.value?.token && <OwnGrants />}
      {isManager && <Managed />}
    </>
  );
}

function NewOnes() {
  const [form, setForm] = useState<'token' | 'key' | 'role'>();
  const close = () => setForm(undefined);
  return (
    <div class="filters">
      <button type="button" onClick={() => setForm('token')}>
        New token
      </button>
      <button type="button" onClick={() => setForm('role')}>
        New role
      </button>
      <button type="button" onClick={() => setForm('key')}>
        New TSIG key
      </button>
      {form === 'token' && <TokenForm onClose={close} />}
      {form === 'role' && <RoleForm onClose={close} />}
      {form === 'key' && <KeyForm onClose={close} />}
    </div>
  );
}

/** Of the token that is logged in: everybody may read those. */
function OwnGrants() {
  const isFull = self.value?.token?.role_name === 'admin';
  const loaded = useLoaded(
    (signal) => get<Listed<RoleGrant>>('/tokens/self/grants', { limit: most }, signal),
    [],
  );
  return (
    <section aria-label="What you may do">
      <h2>What you may do</h2>
      <Answered loaded={loaded}>
        {({ items }) => {
          if (isFull) return <p>Everything.</p>;
          if (items.length === 0) return <p class="muted">Nothing: your role has no grants.</p>;
          return (
            <ul class="grants">
              {items.map((grant) => (
                <li key={grant.id}>{visible(grantText(grant))}</li>
              ))}
            </ul>
          );
        }}
      </Answered>
    </section>
  );
}

function RoleLink({ name }: { readonly name: string }) {
  return <a href={hrefWith({ role: name })}>{visible(name)}</a>;
}

function Managed() {
  return (
    <>
      <h2>Tokens</h2>
      <Table<Token>
        path="/tokens"
        columns={['Name', 'Role', 'Last use', 'Expires', 'Actions']}
        none="No tokens yet."
        row={(token) => (
          <>
            <th scope="row">{visible(token.name)}</th>
            <td data-label="Role">
              <RoleLink name={token.role_name} />
            </td>
            <td data-label="Last use">
              {token.last_used_at === null ? 'never' : <Ago time={token.last_used_at} />}
            </td>
            <td data-label="Expires">
              {token.expires_at === null ? 'never' : <Ago time={token.expires_at} />}
            </td>
            <td class="action">{!isEarlier.value && <DeleteToken token={token} />}</td>
          </>
        )}
      />
      <h2>Roles</h2>
      <Table<Role>
        path="/roles"
        columns={['Name', 'Grants', 'Tokens', 'Keys', 'Needs a reason']}
        none="No roles."
        row={(role) => (
          <>
            <th scope="row">
              <RoleLink name={role.name} />
            </th>
            <td data-label="Grants">{role.builtin ? 'everything' : role.grant_count}</td>
            <td data-label="Tokens">{role.token_count}</td>
            <td data-label="Keys">{role.tsig_key_count}</td>
            <td data-label="Needs a reason">{role.reason_required ? 'yes' : 'no'}</td>
          </>
        )}
      />
      <h2>TSIG keys</h2>
      <Table<TsigKey>
        path="/tsig-keys"
        columns={['Name', 'Algorithm', 'Role', 'Made', 'Actions']}
        none="No TSIG keys yet."
        row={(key) => (
          <>
            <th scope="row">{visible(key.name)}</th>
            <td data-label="Algorithm">{key.algorithm}</td>
            <td data-label="Role">
              <RoleLink name={key.role_name} />
            </td>
            <td data-label="Made">
              <Ago time={key.created_at} />
            </td>
            <td class="action">
              <ShowKey name={key.name} />
              {!isEarlier.value && <DeleteKey name={key.name} />}
            </td>
          </>
        )}
      />
      <h2>Browsers that are logged in</h2>
      <Table<Session>
        path="/sessions"
        columns={['By', 'From', 'Last use', 'Browser', 'Actions']}
        none="None."
        row={(session) => (
          <>
            <th scope="row">{visible(session.token_name ?? session.user?.name ?? 'the host')}</th>
            <td data-label="From">{session.address}</td>
            <td data-label="Last use">
              <Ago time={session.last_used_at} />
            </td>
            <td class="muted" data-label="Browser">
              {visible(session.agent ?? '')}
            </td>
            <td class="action">{!isEarlier.value && <LogOut session={session} />}</td>
          </>
        )}
      />
    </>
  );
}

function DeleteToken({ token: { name } }: { readonly token: Token }) {
  const isOwn = self.value?.token?.name === name;
  const start = () => {
    pending.value = {
      title: `Delete token ${name}`,
      button: 'Delete token',
      method: 'DELETE',
      path: `/tokens/${encodeURIComponent(name)}`,
      hasDryRun: false,
      note: isOwn
        ? 'You are logged in with it: you are logged out at once.'
        : 'It is refused from now on, and browsers that are logged in with it are logged out.',
    };
  };
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Delete token ${visible(name)}`}
      onClick={start}
    >
      Delete
    </button>
  );
}

const keyPath = (name: string) => `/tsig-keys/${encodeURIComponent(name)}`;

function ShowKey({ name }: { readonly name: string }) {
  const open = async () => {
    const opener = document.activeElement as HTMLElement | null;
    try {
      const key = await get<TsigKeyAnswer>(keyPath(name));
      show({ of: { key }, text: key.secret, isOnce: false, opener });
    } catch (error) {
      say((error as Error).message);
    }
  };
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Show key ${visible(name)}`}
      onClick={() => void open()}
    >
      Show
    </button>
  );
}

function DeleteKey({ name }: { readonly name: string }) {
  const start = () => {
    pending.value = {
      title: `Delete TSIG key ${name}`,
      button: 'Delete key',
      method: 'DELETE',
      path: keyPath(name),
      hasDryRun: false,
      note: 'Updates and transfers that are signed with it are refused from now on.',
    };
  };
  return (
    <button type="button" class="quiet" aria-label={`Delete key ${visible(name)}`} onClick={start}>
      Delete
    </button>
  );
}

interface TableProps<Item> {
  readonly path: string;
  readonly columns: readonly string[];
  readonly none: string;
  readonly row: (item: Item) => ComponentChildren;
}

function Table<Item extends { readonly id: number | string }>(props: TableProps<Item>) {
  const { path, columns, none, row } = props;
  const loaded = useLoaded((signal) => get<Listed<Item>>(path, { limit: most }, signal), [path]);
  return (
    <Answered loaded={loaded}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted">{none}</p>
        ) : (
          <table class="rows">
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column === 'Actions' ? <span class="unseen">{column}</span> : column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <tr key={item.id} data-row>
                  {row(item)}
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Answered>
  );
}

function LogOut({ session }: { readonly session: Session }) {
  const start = () => {
    pending.value = {
      title: `Log out ${session.token_name ?? 'the user of the host'} at ${session.address}`,
      button: 'Log out',
      method: 'DELETE',
      path: `/sessions/${session.id}`,
      hasDryRun: false,
    };
  };
  return (
    <button type="button" class="quiet" onClick={start}>
      End
    </button>
  );
}
