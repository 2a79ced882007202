/** A secondary that is registered, paused or forgotten. */
import type { Secondary } from '../api.ts';
import { may } from '../permissions.ts';
import { pending } from '../write.ts';
import { Field, FormDialog } from './form.tsx';
import { visible } from './text.tsx';

const pathOf = (name: string) => `/secondaries/${encodeURIComponent(name)}`;

export function SecondaryForm({ onClose }: { readonly onClose: () => void }) {
  return (
    <FormDialog
      title="New secondary"
      onClose={onClose}
      writeOf={(field) => {
        const [name, address, key] = [field('name'), field('address'), field('key')];
        return {
          title: `Register secondary ${name} at ${address}`,
          button: 'Register secondary',
          method: 'POST',
          path: '/secondaries',
          body: { name, address, ...(key !== '' && { notify_key_name: key }) },
          hasDryRun: false,
          note:
            'From then on it may transfer all zones from this address, and gets a NOTIFY for every ' +
            'change. Its own configuration has to name this service as primary.',
        };
      }}
    >
      <Field name="name" label="Name" isNeeded hint="Like ns2." />
      <Field
        name="address"
        label="Address"
        isNeeded
        hint="host[:port], port 53 when left out: where it takes NOTIFY and answers."
      />
      <Field name="key" label="TSIG key of its NOTIFY" hint="Unsigned when left out." />
    </FormDialog>
  );
}

export function SecondaryActions({ secondary }: { readonly secondary: Secondary }) {
  const { name, enabled } = secondary;
  if (!may(undefined, 'secondary:manage')) return null;
  const turn = () => {
    pending.value = {
      title: `${enabled ? 'Disable' : 'Enable'} secondary ${name}`,
      button: enabled ? 'Disable it' : 'Enable it',
      method: 'PUT',
      path: pathOf(name),
      body: { enabled: !enabled },
      hasDryRun: false,
      note: enabled
        ? 'It gets no NOTIFY and may not transfer by its address until it is enabled again.'
        : 'It may transfer by its address, and gets a NOTIFY for every change.',
    };
  };
  const forget = () => {
    pending.value = {
      title: `Forget secondary ${name}`,
      button: 'Forget it',
      method: 'DELETE',
      path: pathOf(name),
      hasDryRun: false,
      note: 'It may not transfer by its address any more. What it serves it serves until the zones expire there.',
    };
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={`${enabled ? 'Disable' : 'Enable'} ${visible(name)}`}
        onClick={turn}
      >
        {enabled ? 'Disable' : 'Enable'}
      </button>
      <button type="button" class="quiet" aria-label={`Forget ${visible(name)}`} onClick={forget}>
        Forget
      </button>
    </>
  );
}
