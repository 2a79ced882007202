/** The signing of a zone in one sentence, then its keys, what happens next, and what the parent is to serve. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type DnssecStatus, get, type Zone, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { absolute, isEarlier } from '../moment.ts';
import { KeyDrawing } from '../parts/key-drawing.tsx';
import { ParentDs } from '../parts/parent-ds.tsx';
import { SignForm } from '../parts/sign-form.tsx';
import { may } from '../permissions.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { Ago, visible } from '../parts/text.tsx';

type Step = DnssecStatus['next_steps'][number];

export function Dnssec({ zone }: { readonly zone: Zone }) {
  const loaded = useLoaded(
    (signal) => get<DnssecStatus>(zonePath(zone.name, '/dnssec'), {}, signal),
    [zone.name, zone.serial],
  );
  return (
    <section aria-label="DNSSEC">
      <Answered loaded={loaded}>
        {(status) => (status.enabled ? <Signed status={status} /> : <Unsigned zone={zone} />)}
      </Answered>
    </section>
  );
}

function Unsigned({ zone }: { readonly zone: Zone }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Empty>
      <h2>{visible(zone.name)} is not signed</h2>
      {!isEarlier.value && may(zone.name, 'dnssec:manage') && (
        <p>
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Sign the zone
          </button>
        </p>
      )}
      {isOpen && <SignForm zone={zone} onClose={() => setOpen(false)} />}
      <pre>zonebook dnssec enable {zone.name} --parent-ns ADDRESS</pre>
    </Empty>
  );
}

const actions: Readonly<Record<Step['action'], string>> = {
  start_zsk_roll: 'a new ZSK is published',
  publish_cds: 'CDS and CDNSKEY name the new key',
  promote: 'the new key signs',
  remove: 'the old key is removed',
};

const awaited: Readonly<Record<Step['awaits'], string>> = {
  nothing: '',
  ds_at_all_parents: 'when every parent server has its DS',
  parents_let_go: 'when no parent server names it any more',
};

/** What is to be known first. */
function summary({
  expired_signatures: expired,
  foreign_ds_since: foreign,
  next_steps: steps,
}: DnssecStatus) {
  if (expired > 0) return `${expired} signatures have expired: validators refuse them.`;
  if (foreign !== null) return 'A parent server serves a DS set that names no key of this zone.';
  const blocked = steps.find(({ blocked_by: by }) => by !== null);
  if (blocked !== undefined) return `A key roll waits: ${blocked.blocked_by}`;
  return steps.length === 0
    ? 'Nothing to do, once the parent has the DS.'
    : 'What comes next happens by itself.';
}

function Signed({ status }: { readonly status: DnssecStatus }) {
  const expires = status.earliest_signature_expires_at;
  return (
    <>
      <p role="status">
        <strong>{visible(summary(status))}</strong>
      </p>
      {status.warnings.map((warning) => (
        <p key={warning} class="failure">
          {visible(warning)}
        </p>
      ))}
      <dl class="facts">
        <Fact name="Policy">{visible(status.policy?.name ?? 'none')}</Fact>
        <Fact name="Signatures">{status.signatures.toLocaleString('en')}</Fact>
        {expires !== null && (
          <Fact name="The first expires">
            <Ago time={expires} />
          </Fact>
        )}
      </dl>
      <h2>Keys</h2>
      <KeyDrawing status={status} />
      <Keys status={status} />
      {status.next_steps.length > 0 && (
        <>
          <h2>Next</h2>
          <ol>
            {status.next_steps.map((step) => (
              <li key={`${step.action} ${step.at}`}>
                Not before {absolute(step.at)}: {actions[step.action]} ({step.key_tags.join(', ')}){' '}
                {awaited[step.awaits]}
                {step.secondaries_behind.length > 0 &&
                  `; it waits for ${step.secondaries_behind.join(', ')}`}
                {step.blocked_by !== null && `; ${visible(step.blocked_by)}`}
              </li>
            ))}
          </ol>
        </>
      )}
      <ParentDs status={status} />
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Keys({ status: { keys } }: { readonly status: DnssecStatus }) {
  return (
    <table class="rows">
      <caption class="unseen">Keys</caption>
      <thead>
        <tr>
          <th scope="col">Tag</th>
          <th scope="col">Role</th>
          <th scope="col">Algorithm</th>
          <th scope="col">State</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id} data-row>
            <th scope="row">{key.key_tag}</th>
            <td data-label="Role">{key.role.toUpperCase()}</td>
            <td data-label="Algorithm">{key.algorithm}</td>
            <td data-label="State">{key.state}</td>
            <td data-label="Since">
              <Ago time={key.state_changed_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
