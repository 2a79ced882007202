/** The form that signs a zone: where its parent is asked, and by which policy. */
import { get, type Listed, type Zone, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { Field, FormDialog } from './form.tsx';
import { visible } from './text.tsx';

interface Policy {
  readonly name: string;
  readonly algorithm: string;
}

const parentsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

export function SignForm({ zone, onClose }: { readonly zone: Zone; readonly onClose: () => void }) {
  const { value } = useLoaded(
    (signal) => get<Listed<Policy>>('/dnssec-policies', { limit: 100 }, signal),
    [],
  );
  return (
    <FormDialog
      title={`Sign ${zone.name}`}
      onClose={onClose}
      writeOf={(field) => ({
        title: `Sign zone ${zone.name}`,
        button: 'Sign zone',
        method: 'POST',
        path: zonePath(zone.name, '/dnssec'),
        body: {
          parent_ns_addrs: parentsOf(field('parents')),
          ...(field('policy') !== '' && { policy_name: field('policy') }),
        },
        zone: zone.name,
      })}
    >
      <Field
        name="parents"
        label="Name servers of the parent zone"
        isNeeded
        hint="Which are asked for the DS, like a.gtld-servers.net. Several with commas between."
      />
      <label>
        <span>Policy</span>
        <select name="policy">
          <option value="">the built-in one</option>
          {value?.items.map(({ name, algorithm }) => (
            <option key={name} value={name}>
              {`${visible(name)} (${algorithm})`}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
