/** Forms of what gives access: tokens, TSIG keys, roles, and what is granted to roles. */
import { useRef } from 'preact/hooks';
import { get, type Listed, type Role } from '../api.ts';
import { type Grant, grantText } from '../grants.ts';
import { useLoaded } from '../loading.ts';
import { type Action, actionNames } from '../permissions.ts';
import { hrefWith } from '../router.ts';
import { show } from '../secret.ts';
import { Field, FormDialog } from './form.tsx';
import { visible } from './text.tsx';

interface FormProps {
  readonly onClose: () => void;
}

/** Roles to choose from. */
const maxRoles = 1000;

/** What had the focus before the dialog of a form came. */
function useOpener() {
  return useRef(document.activeElement as HTMLElement | null).current;
}

function RoleField() {
  const { value } = useLoaded(
    (signal) => get<Listed<Role>>('/roles', { limit: maxRoles }, signal),
    [],
  );
  return (
    <label>
      <span>Role</span>
      <select name="role" required>
        {value?.items.map(({ name }) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function TokenForm({ onClose }: FormProps) {
  const opener = useOpener();
  return (
    <FormDialog
      title="New token"
      onClose={onClose}
      writeOf={(field) => {
        const [name, role, days] = [field('name'), field('role'), field('days')];
        return {
          title: `Create token ${name} in role ${role}`,
          button: 'Create token',
          method: 'POST',
          path: '/tokens',
          body: {
            name,
            role_name: role,
            ...(field('description') !== '' && { description: field('description') }),
            ...(days !== '' && { expires_in_days: Number(days) }),
          },
          hasDryRun: false,
          note: 'Its secret is shown once, when it is made.',
          onDone: ({ secret: text = '' }) => {
            show({ of: { token: name.toLowerCase() }, text, isOnce: true, opener });
          },
        };
      }}
    >
      <Field name="name" label="Name" isNeeded hint="Like ci." />
      <RoleField />
      <Field name="days" label="Days until it expires" isNumber hint="Never when empty." />
      <Field name="description" label="Description" />
    </FormDialog>
  );
}

const algorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'];

export function KeyForm({ onClose }: FormProps) {
  const opener = useOpener();
  return (
    <FormDialog
      title="New TSIG key"
      onClose={onClose}
      writeOf={(field) => {
        const [name, role, given] = [field('name'), field('role'), field('given')];
        return {
          title: `Create TSIG key ${name} in role ${role}`,
          button: 'Create key',
          method: 'POST',
          path: '/tsig-keys',
          body: {
            name,
            role_name: role,
            algorithm: field('algorithm'),
            ...(given !== '' && { secret: given }),
          },
          hasDryRun: false,
          note: 'Whoever has its secret may do what the role may, by dynamic updates and transfers.',
          onDone: ({ secret: text = '', tsig_key: key }) => {
            if (key === undefined) return;
            const of = { key: { secret: text, tsig_key: key } };
            show({ of, text, isOnce: false, opener });
          },
        };
      }}
    >
      <Field name="name" label="Name" isNeeded hint="A domain name, like ddns.example.com." />
      <RoleField />
      <label>
        <span>Algorithm</span>
        <select name="algorithm">
          {algorithms.map((algorithm) => (
            <option key={algorithm}>{algorithm}</option>
          ))}
        </select>
      </label>
      <Field name="given" label="Secret" hint="Base64, of a key that is there already." />
    </FormDialog>
  );
}

/** `role` is the one to change; undefined for a new one. */
export function RoleForm({ role, onClose }: FormProps & { readonly role?: Role }) {
  return (
    <FormDialog
      title={role === undefined ? 'New role' : `Change role ${role.name}`}
      onClose={onClose}
      writeOf={(field) => {
        const name = role?.name ?? field('name');
        const given = {
          description: field('description'),
          reason_required: field('reason_required') === 'on',
        };
        if (role !== undefined) {
          return {
            title: `Change role ${name}`,
            button: 'Change role',
            method: 'PUT',
            path: rolePath(name),
            body: given,
            hasDryRun: false,
          };
        }
        return {
          title: `Create role ${name}`,
          button: 'Create role',
          method: 'POST',
          path: '/roles',
          body: { name, ...given },
          hasDryRun: false,
          note: 'It may do nothing before something is granted to it.',
          leadsTo: hrefWith({ role: name.toLowerCase() }),
        };
      }}
    >
      {role === undefined && <Field name="name" label="Name" isNeeded hint="Like dns-ops." />}
      <Field name="description" label="Description" value={role?.description ?? ''} />
      <label>
        <input
          type="checkbox"
          name="reason_required"
          defaultChecked={role?.reason_required ?? false}
        />{' '}
        Each write needs a reason
      </label>
    </FormDialog>
  );
}

export function rolePath(name: string, below = ''): string {
  return `/roles/${encodeURIComponent(name)}${below}`;
}

export function GrantForm({ role, onClose }: FormProps & { readonly role: string }) {
  return (
    <FormDialog
      title={`New grant of role ${role}`}
      onClose={onClose}
      writeOf={(field) => {
        const actions = actionNames.filter((action) => field(action) === 'on');
        const [zone, name, types] = [field('zone'), field('name'), field('types')];
        const grant: Grant = {
          zone_name: zone === '' ? null : zone,
          actions,
          record_name_pattern: name || '*',
          record_types: types.replaceAll(/\s/g, '').toUpperCase() || '*',
        };
        return {
          title: `Grant to role ${role}`,
          button: 'Grant',
          method: 'POST',
          path: rolePath(role, '/grants'),
          body: {
            actions,
            ...(zone !== '' && { zone_name: zone }),
            record_name_pattern: grant.record_name_pattern,
            record_types: grant.record_types,
          },
          hasDryRun: false,
          note: `From now on role ${role} ${grantText(grant)}.`,
        };
      }}
    >
      <fieldset class="actions">
        <legend>Actions</legend>
        {actionNames.map((action: Action) => (
          <label key={action}>
            <input type="checkbox" name={action} /> {action}
          </label>
        ))}
      </fieldset>
      <Field name="zone" label="Zone" hint="All zones, later ones too, when empty." />
      <Field
        name="name"
        label="Names of records"
        hint="Like www, @, *.dyn or _acme-challenge.**; all when empty."
      />
      <Field name="types" label="Types of records" hint="Like A,AAAA; all when empty." />
    </FormDialog>
  );
}
