/** The settings of a zone as people read and type them. */
import type { FieldError, Problem, Zone } from './api.ts';

type Guard = NonNullable<Zone['guard']>;
type OwnName = Exclude<keyof Zone, 'id' | 'name' | 'serial' | 'guard'>;

/** Fields of a zone in the order of a form; those of the guard begin with `guard.`. */
export type SettingName = OwnName | `guard.${keyof Guard}`;

export interface SettingField {
  readonly name: SettingName;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'number' | 'switch';
}

export const soaFields: readonly SettingField[] = [
  { name: 'mname', label: 'Primary name server', kind: 'text' },
  { name: 'rname', label: 'Mailbox', kind: 'text', hint: 'Like hostmaster@example.com.' },
  {
    name: 'refresh',
    label: 'Refresh',
    kind: 'number',
    hint: 'Seconds between two checks of a secondary.',
  },
  {
    name: 'retry',
    label: 'Retry',
    kind: 'number',
    hint: 'Seconds until a failed check is repeated.',
  },
  {
    name: 'expire',
    label: 'Expire',
    kind: 'number',
    hint: 'Seconds after which a secondary gives the zone up.',
  },
  {
    name: 'minimum_ttl',
    label: 'Minimum',
    kind: 'number',
    hint: 'Seconds that negative answers are cached.',
  },
  {
    name: 'default_ttl',
    label: 'Default TTL',
    kind: 'number',
    hint: 'Seconds, of the SOA and of records that name none.',
  },
];

export const ownFields: readonly SettingField[] = [
  { name: 'description', label: 'Description', kind: 'text' },
  {
    name: 'enabled',
    label: 'Served',
    kind: 'switch',
    hint: 'Otherwise it is kept, and not answered for.',
  },
];

export const guardFields: readonly SettingField[] = [
  {
    name: 'guard.max_delete_percent',
    label: 'Percent of the records that one change may delete',
    kind: 'number',
    hint: 'As configured when empty.',
  },
  {
    name: 'guard.max_deletes',
    label: 'Records that one change may delete',
    kind: 'number',
    hint: 'As configured when empty.',
  },
  {
    name: 'guard.protect',
    label: 'RRsets that stay as they are',
    kind: 'text',
    hint: 'Like www/A, mail/MX or only the name; @ is the apex.',
  },
  {
    name: 'guard.locked_until',
    label: 'Locked until',
    kind: 'text',
    hint: 'Like 2026-01-31T12:00:00Z. Nothing of the zone changes before.',
  },
  { name: 'guard.lock_reason', label: 'Why it is locked', kind: 'text' },
];

const fields = [...soaFields, ...ownFields, ...guardFields];

/** What each field has, as text; a switch is `on` or ''. */
export type SettingTexts = Readonly<Record<SettingName, string>>;

export function textsOf(zone: Zone): SettingTexts {
  const guard: Partial<Guard> = zone.guard ?? {};
  const texts = fields.map(({ name, kind }) => {
    const value = name.startsWith('guard.') ? guard[guardKey(name)] : zone[name as OwnName];
    if (kind === 'switch') return [name, value === true ? 'on' : ''];
    return [name, Array.isArray(value) ? protectText(value) : String(value ?? '')];
  });
  return Object.fromEntries(texts);
}

const guardKey = (name: string) => name.slice('guard.'.length) as keyof Guard;

function protectText(protect: NonNullable<Guard['protect']>): string {
  return protect.map(({ name, type }) => (type === null ? name : `${name}/${type}`)).join(', ');
}

/** The body of a change from what is stored to what was typed; undefined when both are the same. */
export function changeOf(zone: Zone, typed: SettingTexts): object | undefined {
  const stored = textsOf(zone);
  const changed = fields.filter(({ name }) => typed[name] !== stored[name]);
  if (changed.length === 0) return undefined;
  const own = changed.filter(({ name }) => !name.startsWith('guard.'));
  const body = Object.fromEntries(own.map((field) => [field.name, given(field, typed)]));
  return own.length === changed.length ? body : { ...body, guard: givenGuard(typed) };
}

/** What is no number goes as it was typed: the service says what is wrong with it. */
function given({ name, kind }: SettingField, typed: SettingTexts): unknown {
  const text = typed[name];
  if (kind === 'switch') return text === 'on';
  return kind === 'number' && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** The guard is set as a whole; what is empty is as configured. */
function givenGuard(typed: SettingTexts): object {
  const said = guardFields.filter(({ name }) => typed[name] !== '');
  return Object.fromEntries(
    said.map((field) => {
      const value =
        field.name === 'guard.protect' ? protectOf(typed[field.name]) : given(field, typed);
      return [guardKey(field.name), value];
    }),
  );
}

function protectOf(text: string): object[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return words.map((word) => {
    const slash = word.lastIndexOf('/');
    return slash < 0 ? { name: word } : { name: word.slice(0, slash), type: word.slice(slash + 1) };
  });
}

/** By field, what the service refuses it for; undefined where not all of it is about a field. */
export function errorsByField({ answer }: Problem): ReadonlyMap<SettingName, string> | undefined {
  const { errors = [] } = answer as { errors?: readonly FieldError[] };
  const found = new Map<SettingName, string>();
  for (const { pointer = '', message } of errors) {
    const path = pointer.slice(1).replaceAll('/', '.');
    const field = fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
    if (field === undefined) return undefined;
    const text = message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
    const before = found.get(field.name);
    found.set(field.name, before === undefined ? text : `${before}; ${text}`);
  }
  return found.size === 0 ? undefined : found;
}

/** Settings that differ between two states of a zone, as texts. */
export function settingChanges(before: Zone, after: Zone) {
  const [from, to] = [textsOf(before), textsOf(after)];
  const said = ({ kind, name }: SettingField, texts: SettingTexts) =>
    kind === 'switch' ? (texts[name] === 'on' ? 'yes' : 'no') : texts[name] || 'none';
  return fields
    .filter(({ name }) => from[name] !== to[name])
    .map((field) => ({ label: field.label, from: said(field, from), to: said(field, to) }));
}
