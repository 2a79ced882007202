/** A new zone from a zone file or from another server: checked as a whole, its errors by their lines, then previewed. */
import { useState } from 'preact/hooks';
import { zoneNameOf } from '../file-name.ts';
import { useLatest } from '../latest.ts';
import { checkNewZone, type CheckedZone, creationOf, type NewZone } from '../new-zone.ts';
import { holds, may } from '../permissions.ts';
import { CheckResult } from '../parts/checked.tsx';
import { FileField } from '../parts/file-field.tsx';
import { ImportFiles } from '../parts/import-files.tsx';
import { LinedText } from '../parts/lined-text.tsx';
import { Empty } from '../parts/states.tsx';
import { visible } from '../parts/text.tsx';
import { isEarlier } from '../moment.ts';
import { hrefOf } from '../router.ts';
import { pending } from '../write.ts';

/** What the service said of what was given. */
interface Answer extends CheckedZone {
  readonly given: string;
}

export function Import() {
  const isAllowed = !isEarlier.value && holds(undefined, 'zone:create');
  return (
    <>
      <header class="head">
        <h1>Import a zone</h1>
      </header>
      {isAllowed ? (
        <ImportForm />
      ) : (
        <Empty>
          <p>
            {isEarlier.value
              ? 'Nothing can be changed at an earlier moment.'
              : 'Your role may not.'}
          </p>
        </Empty>
      )}
    </>
  );
}

function ImportForm() {
  const [given, setGiven] = useState<NewZone>({ name: '', text: '', server: '' });
  const [checked, hear] = useLatest<Answer>();
  const [files, setFiles] = useState<readonly File[]>();
  const name = given.name.trim().replace(/\.$/, '');
  const server = given.server.trim();
  const asked: NewZone = { ...given, name, server };
  const key = JSON.stringify(asked);
  const said = checked?.given === key ? checked : undefined;
  const isReady = name !== '' && (server !== '' || given.text.trim() !== '');
  const submit = () => {
    if (isReady) hear(checkNewZone(asked).then((found) => ({ given: key, ...found })));
  };
  const takeText = (text: string, file?: string) =>
    setGiven((now) => ({ ...now, text, name: now.name || zoneNameOf(text, file) }));
  const field = (of: 'name' | 'server') => ({
    value: given[of],
    autocomplete: 'off',
    spellcheck: false,
    onInput: (event: InputEvent) =>
      setGiven({ ...given, [of]: (event.currentTarget as HTMLInputElement).value }),
  });
  if (files !== undefined) {
    return <ImportFiles files={files} close={() => setFiles(undefined)} />;
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FileField take={takeText} takeMany={setFiles} />
      <div class="filters">
        <label class="filter">
          <span>Name of the zone</span>
          <input {...field('name')} placeholder="example.com" required />
        </label>
        <label class="filter">
          <span>Or transfer it from a server (AXFR)</span>
          <input {...field('server')} placeholder="192.0.2.1:53" />
        </label>
      </div>
      {server === '' && (
        <LinedText
          label="Text of the file"
          text={given.text}
          errors={said?.errors ?? []}
          change={takeText}
          submit={submit}
          rows={16}
        />
      )}
      <p class="controls">
        <button type="submit" class={said?.outcome === undefined ? 'primary' : ''}>
          Check
        </button>
        {said?.outcome !== undefined && may(undefined, 'zone:create') && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              pending.value = creationOf(asked);
            }}
          >
            Create the zone…
          </button>
        )}
      </p>
      {said?.existing !== undefined && (
        <p class="failure" role="alert">
          {visible(said.existing)} is there already.{' '}
          <a href={hrefOf(['zones', said.existing, 'compare'])}>Compare it with the file</a>
        </p>
      )}
      {said !== undefined && <CheckResult checked={said} title="What the zone would have" />}
    </form>
  );
}
