/** Who may do what: tokens, roles, TSIG keys, and the browsers that are logged in. */
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
import { GrantTable } from '../parts/grant-table.tsx';
import { RoleScreen } from '../parts/role.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { WhyNot } from '../parts/why-not.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { holds, may } from '../permissions.ts';
import { hrefOf, hrefWith, parameter } from '../router.ts';
import { show } from '../secret.ts';
import { self } from '../session.ts';
import { pending, say } from '../write.ts';

const most = 1000;

const canManage = () => !isEarlier.value && may(undefined, 'access:manage');

export function Access() {
  const role = parameter('role');
  const isManager = holds(undefined, 'access:manage');
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
      {canManage() && (
        <>
          <button type="button" onClick={() => setForm('token')}>
            New token
          </button>
          <button type="button" onClick={() => setForm('role')}>
            New role
          </button>
          <button type="button" onClick={() => setForm('key')}>
            New TSIG key
          </button>
        </>
      )}
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
            <>
              <ul class="grants">
                {items.map((grant) => (
                  <li key={grant.id}>{visible(grantText(grant))}</li>
                ))}
              </ul>
              <GrantTable grants={items} />
            </>
          );
        }}
      </Answered>
    </section>
  );
}

function RoleLink({ name }: { readonly name: string }) {
  return <a href={hrefWith({ role: name })}>{visible(name)}</a>;
}

const tokenColumns: readonly TableColumn<Token>[] = [
  {
    label: 'Name',
    cell: ({ name }) => <a href={hrefOf(['changes'], { actor: name })}>{visible(name)}</a>,
  },
  { label: 'Role', cell: ({ role_name: role }) => <RoleLink name={role} /> },
  {
    label: 'Last use',
    cell: ({ last_used_at: time, last_used_from: from }) =>
      time === null ? (
        'never'
      ) : (
        <>
          <Ago time={time} />
          {from !== null && ` from ${from}`}
        </>
      ),
  },
  {
    label: 'Expires',
    cell: ({ expires_at: time }) => (time === null ? 'never' : <Ago time={time} />),
  },
  {
    label: 'Actions',
    kind: 'action',
    cell: (token) => canManage() && <DeleteToken token={token} />,
  },
];

const roleColumns: readonly TableColumn<Role>[] = [
  { label: 'Name', cell: ({ name }) => <RoleLink name={name} /> },
  { label: 'Grants', cell: ({ builtin, grant_count }) => (builtin ? 'everything' : grant_count) },
  { label: 'Tokens', cell: ({ token_count }) => token_count },
  { label: 'Keys', cell: ({ tsig_key_count }) => tsig_key_count },
  { label: 'Needs a reason', cell: ({ reason_required: isIt }) => (isIt ? 'yes' : 'no') },
];

const keyColumns: readonly TableColumn<TsigKey>[] = [
  { label: 'Name', cell: ({ name }) => visible(name) },
  { label: 'Algorithm', cell: ({ algorithm }) => algorithm },
  { label: 'Role', cell: ({ role_name: role }) => <RoleLink name={role} /> },
  { label: 'Made', cell: ({ created_at: time }) => <Ago time={time} /> },
  {
    label: 'Actions',
    kind: 'action',
    cell: (key) => (
      <>
        <ShowKey name={key.name} />
        {canManage() && <DeleteKey tsigKey={key} />}
      </>
    ),
  },
];

const sessionColumns: readonly TableColumn<Session>[] = [
  {
    label: 'By',
    cell: ({ token_name: token, user }) => visible(token ?? user?.name ?? 'the host'),
  },
  { label: 'From', cell: ({ address }) => address },
  { label: 'Last use', cell: ({ last_used_at: time }) => <Ago time={time} /> },
  { label: 'Browser', kind: 'muted', cell: ({ agent }) => visible(agent ?? '') },
  {
    label: 'Actions',
    kind: 'action',
    cell: (session) => canManage() && <LogOut session={session} />,
  },
];

function Managed() {
  return (
    <>
      <h2>Tokens</h2>
      <Read path="/tokens" columns={tokenColumns} none="No tokens yet." />
      <p class="muted">The name of a token leads to its changes.</p>
      <h2>Roles</h2>
      <Read path="/roles" columns={roleColumns} none="No roles." />
      <h2>TSIG keys</h2>
      <Read path="/tsig-keys" columns={keyColumns} none="No TSIG keys yet." />
      <h2>Browsers that are logged in</h2>
      <Read path="/sessions" columns={sessionColumns} none="None." />
    </>
  );
}

function DeleteToken({ token: { id, name } }: { readonly token: Token }) {
  const isOwn = self.value?.token?.name === name;
  const start = () => {
    pending.value = {
      title: `Delete token ${name}`,
      button: 'Delete token',
      method: 'DELETE',
      path: `/tokens/${encodeURIComponent(name)}`,
      query: { id },
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

function DeleteKey({ tsigKey: { id, name } }: { readonly tsigKey: TsigKey }) {
  const start = () => {
    pending.value = {
      title: `Delete TSIG key ${name}`,
      button: 'Delete key',
      method: 'DELETE',
      path: keyPath(name),
      query: { id },
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

interface ReadProps<Item> {
  readonly path: string;
  readonly columns: readonly TableColumn<Item>[];
  readonly none: string;
}

function Read<Item extends { readonly id: number | string }>(props: ReadProps<Item>) {
  const { path, columns, none } = props;
  const loaded = useLoaded((signal) => get<Listed<Item>>(path, { limit: most }, signal), [path]);
  return (
    <Answered loaded={loaded}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted">{none}</p>
        ) : (
          <Table columns={columns} items={items} keyOf={({ id }) => id} />
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
