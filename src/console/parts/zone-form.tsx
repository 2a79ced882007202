/** A new zone: empty, with the primary and the mailbox that were used last, or from a zone file or another server. */
import { useState } from 'preact/hooks';
import { get, type Listed, type Problem, type Zone } from '../api.ts';
import { zoneNameOf } from '../file-name.ts';
import { useLoaded } from '../loading.ts';
import { creationOf } from '../new-zone.ts';
import { mayWhole } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import type { Write } from '../write.ts';
import { lineErrorsOf } from './checked.tsx';
import { FileField } from './file-field.tsx';
import { Field, FormDialog } from './form.tsx';
import { LinedText } from './lined-text.tsx';

/** The zone that was made last, of those that the caller sees. */
function useLast(): Partial<Zone> {
  const query = { sort: 'created_at', order: 'desc', limit: 1 };
  const { value } = useLoaded((signal) => get<Listed<Zone>>('/zones', query, signal), []);
  return value?.items[0] ?? {};
}

function emptyZone(name: string, field: (name: string) => string): Write {
  return {
    title: `Create zone ${name}`,
    button: 'Create zone',
    method: 'POST',
    path: '/zones',
    body: { name, mname: field('mname'), rname: field('rname') },
    leadsTo: hrefOf(['zones', name, 'records']),
  };
}

export function ZoneForm({ onClose }: { readonly onClose: () => void }) {
  const { mname, rname } = useLast();
  const [name, setName] = useState('');
  const [server, setServer] = useState('');
  const [text, setText] = useState<string>();
  const [errors, setErrors] = useState<readonly string[]>([]);
  const isEmpty = server.trim() === '' && text === undefined;
  const change = (typed: string | undefined) => {
    setText(typed);
    setErrors([]);
  };
  const writeOf = (field: (name: string) => string): Write => {
    const given = field('name').replace(/\.$/, '');
    if (isEmpty) return emptyZone(given, field);
    const write = creationOf({ name: given, text: text ?? '', server: server.trim() });
    if (text === undefined) return write;
    const onRefused = (problem: Problem) => {
      const found = lineErrorsOf(problem);
      setErrors(found ?? []);
      return found !== undefined;
    };
    return { ...write, onRefused };
  };
  return (
    <FormDialog title="New zone" onClose={onClose} writeOf={writeOf}>
      <Field
        name="name"
        label="Name"
        isNeeded
        hint="Like example.com."
        value={name}
        onText={setName}
      />
      {isEmpty && (
        <>
          <Field
            name="mname"
            label="Primary name server"
            isNeeded
            hint="Like ns1.example.com."
            value={mname ?? ''}
          />
          <Field
            name="rname"
            label="Mailbox"
            isNeeded
            hint="Like hostmaster@example.com."
            value={rname ?? ''}
          />
        </>
      )}
      {mayWhole(undefined, 'record:create') && (
        <>
          {server.trim() === '' && (
            <ZoneFile
              text={text}
              errors={errors}
              change={change}
              take={(taken, file) => {
                change(taken);
                setName((typed) => typed || zoneNameOf(taken, file));
              }}
            />
          )}
          {text === undefined && (
            <Field
              name="server"
              label="Or transfer it from a server (AXFR)"
              hint="Like 192.0.2.1:53."
              value={server}
              onText={setServer}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

interface ZoneFileProps {
  readonly text: string | undefined;
  readonly errors: readonly string[];
  readonly change: (text: string | undefined) => void;
  readonly take: (text: string, file: string) => void;
}

/** Chosen or dropped; then it stands there to be mended, with what is wrong by its lines. */
function ZoneFile({ text, errors, change, take }: ZoneFileProps) {
  if (text !== undefined) {
    return (
      <>
        <p class="muted">The SOA of the file becomes that of the zone.</p>
        <LinedText
          label="Text of the file"
          text={text}
          errors={errors}
          change={change}
          submit={() => document.querySelector<HTMLFormElement>('dialog form')?.requestSubmit()}
          rows={10}
        />
        <button type="button" onClick={() => change(undefined)}>
          Without the file
        </button>
      </>
    );
  }
  return <FileField label="From a zone file: choose it, or drop it here" take={take} />;
}
