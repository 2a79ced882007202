/** Who may do what: tokens, roles, and the browsers that are logged in. */
import type { ComponentChildren } from 'preact';
import { get, type Listed, type Role, type Session, type Token } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { Answered } from '../parts/states.tsx';
import { WhyNot } from '../parts/why-not.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { pending } from '../write.ts';

const most = 1000;

export function Access() {
  return (
    <>
      <header class="head">
        <h1>Access</h1>
      </header>
      <WhyNot />
      <h2>Tokens</h2>
      <Table<Token>
        path="/tokens"
        columns={['Name', 'Role', 'Last use', 'Expires']}
        none="No tokens that you may see."
        row={(token) => (
          <>
            <th scope="row">{visible(token.name)}</th>
            <td data-label="Role">{visible(token.role_name)}</td>
            <td data-label="Last use">
              {token.last_used_at === null ? 'never' : <Ago time={token.last_used_at} />}
            </td>
            <td data-label="Expires">
              {token.expires_at === null ? 'never' : <Ago time={token.expires_at} />}
            </td>
          </>
        )}
      />
      <h2>Roles</h2>
      <Table<Role>
        path="/roles"
        columns={['Name', 'Grants', 'Tokens', 'Keys', 'Needs a reason']}
        none="No roles that you may see."
        row={(role) => (
          <>
            <th scope="row">{visible(role.name)}</th>
            <td data-label="Grants">{role.builtin ? 'everything' : role.grant_count}</td>
            <td data-label="Tokens">{role.token_count}</td>
            <td data-label="Keys">{role.tsig_key_count}</td>
            <td data-label="Needs a reason">{role.reason_required ? 'yes' : 'no'}</td>
          </>
        )}
      />
      <h2>Browsers that are logged in</h2>
      <Table<Session>
        path="/sessions"
        columns={['By', 'From', 'Last use', 'Browser', 'Actions']}
        none="None that you may see."
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
