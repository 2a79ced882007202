/** The signing of a zone in one sentence, then its keys, what happens next, and what the parent is to serve. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask, type DnssecStatus, get, type Zone, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { absolute, isEarlier } from '../moment.ts';
import { Expirations } from '../parts/expirations.tsx';
import { KeyControls } from '../parts/key-controls.tsx';
import { KeyDrawing } from '../parts/key-drawing.tsx';
import { KeyHistory } from '../parts/key-history.tsx';
import { WhatNext } from '../parts/what-next.tsx';
import { ParentDs } from '../parts/parent-ds.tsx';
import { SignForm } from '../parts/sign-form.tsx';
import { may } from '../permissions.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
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
        {(status) =>
          status.enabled ? (
            <Signed zone={zone} status={status} />
          ) : (
            <Unsigned zone={zone} status={status} />
          )
        }
      </Answered>
    </section>
  );
}

interface OfStatus {
  readonly zone: Zone;
  readonly status: DnssecStatus;
}

function Unsigned({ zone, status }: OfStatus) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Empty>
      <h2>{visible(zone.name)} is not signed</h2>
      <Warnings status={status} />
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

/** What the parent servers said when they were asked last; undefined before. */
type Answer = DnssecStatus | Error | undefined;

/** Asks the parent servers. What they said is shown until the zone has another serial. */
function useParent(zone: Zone, serial: number) {
  const [answer, setAnswer] = useState<Answer>();
  const [isAsking, setAsking] = useState(false);
  const askParent = async () => {
    setAsking(true);
    try {
      setAnswer(await ask<DnssecStatus>('POST', zonePath(zone.name, '/dnssec/check-ds')));
    } catch (error) {
      setAnswer(error as Error);
    }
    setAsking(false);
  };
  const isOld = answer !== undefined && !(answer instanceof Error) && answer.serial < serial;
  return { answer: isOld ? undefined : answer, isAsking, askParent: () => void askParent() };
}

const keyColumns: readonly TableColumn<DnssecStatus['keys'][number]>[] = [
  { label: 'Tag', cell: ({ key_tag: tag }) => tag },
  { label: 'Role', cell: ({ role }) => role.toUpperCase() },
  { label: 'Algorithm', cell: ({ algorithm }) => algorithm },
  { label: 'State', cell: ({ state }) => state },
  { label: 'Since', cell: ({ state_changed_at: at }) => <Ago time={at} /> },
];

function Signed({ zone, status: loaded }: OfStatus) {
  const parent = useParent(zone, loaded.serial);
  const status =
    parent.answer === undefined || parent.answer instanceof Error ? loaded : parent.answer;
  const canManage = !isEarlier.value && may(zone.name, 'dnssec:manage');
  const expires = status.earliest_signature_expires_at;
  return (
    <>
      {isEarlier.value && <p class="muted">Keys and signatures are those of now.</p>}
      <WhatNext zone={zone} status={status} {...parent} />
      <Warnings status={status} />
      <dl class="facts">
        <Fact name="Policy">{visible(status.policy?.name ?? 'none')}</Fact>
        <Fact name="Signatures">{status.signatures.toLocaleString('en')}</Fact>
        {expires !== null && (
          <Fact name="The first expires">
            <Ago time={expires} />
          </Fact>
        )}
      </dl>
      <Expirations days={status.expirations} />
      <h2>Keys</h2>
      <KeyDrawing status={status} />
      <Table caption="Keys" columns={keyColumns} items={status.keys} keyOf={({ id }) => id} />
      {canManage && <KeyControls zone={zone} status={status} />}
      <Steps status={status} />
      <ParentDs status={status} {...parent} />
      {may(zone.name, 'zone:read') && <KeyHistory zone={zone} />}
    </>
  );
}

function Warnings({ status: { warnings } }: { readonly status: DnssecStatus }) {
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="failure">
          {visible(warning)}
        </p>
      ))}
    </>
  );
}

/** What happens by itself. */
function Steps({ status: { next_steps: steps } }: { readonly status: DnssecStatus }) {
  if (steps.length === 0) return null;
  return (
    <>
      <h2>Next</h2>
      <ol>
        {steps.map((step) => (
          <li key={`${step.action} ${step.key_tags.join(' ')}`}>
            Not before {absolute(step.at)}: {actions[step.action]} ({step.key_tags.join(', ')}){' '}
            {awaited[step.awaits]}
            {step.secondaries_behind.length > 0 &&
              `; it waits for ${step.secondaries_behind.join(', ')}`}
            {step.blocked_by !== null && `; ${visible(step.blocked_by)}`}
          </li>
        ))}
      </ol>
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
