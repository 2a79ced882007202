/** What a zone is besides its records: the SOA, whether it is served, its guard. Each change of it is previewed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Problem, type Zone, zonePath } from '../api.ts';
import { deletionOf } from '../deletion.ts';
import { useLoaded } from '../loading.ts';
import { at, isEarlier } from '../moment.ts';
import { Answered } from '../parts/states.tsx';
import { visible } from '../parts/text.tsx';
import { holds, may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { pending } from '../write.ts';
import {
  changeOf,
  errorsByField,
  guardFields,
  ownFields,
  type SettingField,
  type SettingName,
  type SettingTexts as TypedTexts,
  soaFields,
  textsOf,
} from '../zone-settings.ts';

const groups = [
  ['SOA and TTL', soaFields],
  ['Zone', ownFields],
  ['Guard', guardFields],
] as const;

/** At an earlier moment they are those of then. */
export function Settings({ zone }: { readonly zone: Zone }) {
  const loaded = useLoaded(
    (signal) => get<{ zone: Zone }>(zonePath(zone.name), { at: at.value }, signal),
    [zone.name, zone.serial, at.value],
  );
  return (
    <section aria-label="Settings">
      <Answered loaded={loaded}>
        {({ zone: found }) =>
          isEarlier.value || !holds(zone.name, 'zone:update') ? (
            <SettingTexts zone={found} />
          ) : (
            <SettingsForm key={JSON.stringify(textsOf(found))} zone={found} />
          )
        }
      </Answered>
      {!isEarlier.value && may(zone.name, 'zone:delete') && <Deletion zone={zone} />}
    </section>
  );
}

function Deletion({ zone }: { readonly zone: Zone }) {
  const start = () => {
    pending.value = deletionOf(zone, hrefOf(['bin']));
  };
  return (
    <>
      <h2>Delete</h2>
      <p>
        <button type="button" onClick={start}>
          Delete the zone…
        </button>
      </p>
    </>
  );
}

/** What each setting has, to read. */
export function SettingTexts({ zone }: { readonly zone: Zone }) {
  const texts = textsOf(zone);
  return (
    <>
      {groups.map(([title, fields]) => (
        <section key={title}>
          <h2>{title}</h2>
          <dl class="facts">
            {fields.map(({ name, label, kind }) => (
              <div key={name}>
                <dt>{label}</dt>
                <dd>
                  {kind === 'switch'
                    ? texts[name] === 'on'
                      ? 'yes'
                      : 'no'
                    : visible(texts[name] || 'none')}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

type Errors = ReadonlyMap<SettingName, string>;

function SettingsForm({ zone }: { readonly zone: Zone }) {
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors>(new Map());
  const [isSame, setSame] = useState(false);
  const texts = textsOf(zone);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const typed = Object.keys(texts).map((name) => [name, String(given.get(name) ?? '').trim()]);
    const body = changeOf(zone, Object.fromEntries(typed) as TypedTexts);
    setErrors(new Map());
    setSame(body === undefined);
    if (body === undefined) return;
    pending.value = {
      title: `Change settings of ${zone.name}`,
      button: 'Change settings',
      method: 'PUT',
      path: zonePath(zone.name),
      body,
      zone: zone.name,
      onRefused: (problem: Problem) => {
        const found = errorsByField(problem);
        if (found !== undefined) setErrors(found);
        return found !== undefined;
      },
    };
  };
  return (
    <form class="settings-form" ref={form} onSubmit={submit} noValidate>
      {groups.map(([title, fields]) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {fields.map((field) => (
            <Setting
              key={field.name}
              field={field}
              text={texts[field.name]}
              error={errors.get(field.name)}
            />
          ))}
        </fieldset>
      ))}
      <button type="submit" class="primary" disabled={!may(zone.name, 'zone:update')}>
        Preview
      </button>{' '}
      <button type="reset" onClick={() => setErrors(new Map())}>
        As it is stored
      </button>{' '}
      <span role="status">{isSame && 'Nothing differs from what is stored.'}</span>
    </form>
  );
}

interface SettingProps {
  readonly field: SettingField;
  readonly text: string;
  readonly error: string | undefined;
}

function Setting({ field: { name, label, hint, kind }, text, error }: SettingProps) {
  const [hintId, errorId] = [`hint-${name}`, `error-${name}`];
  const described = [error !== undefined && errorId, hint !== undefined && hintId];
  const common = {
    id: name,
    name,
    'aria-invalid': error !== undefined,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
  } as const;
  return (
    <div class="setting">
      <label htmlFor={name}>{label}</label>
      {kind === 'switch' ? (
        <input type="checkbox" defaultChecked={text === 'on'} value="on" {...common} />
      ) : (
        <input
          defaultValue={text}
          autocomplete="off"
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          {...common}
        />
      )}
      {hint !== undefined && (
        <small class="muted" id={hintId}>
          {hint}
        </small>
      )}
      {error !== undefined && (
        <p class="field-error" id={errorId}>
          {visible(error)}
        </p>
      )}
    </div>
  );
}
