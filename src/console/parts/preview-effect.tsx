/** What a preview says of its write: the difference, the serial it leads to, warnings, and what it touches besides. */
import { get, type Listed, readZone, type Secondary } from '../api.ts';
import { counted } from '../counted.ts';
import { timed } from '../moment.ts';
import { may } from '../permissions.ts';
import type { Outcome, Previewed } from '../write.ts';
import { Warnings } from './checked.tsx';
import { DiffTable } from './diff.tsx';
import { SettingsDiff } from './settings-diff.tsx';
import { visible } from './text.tsx';

/** Whom a write touches besides; what the caller may not know, or could not be asked, is undefined. */
interface Touched {
  /** How many secondaries follow all zones. */
  readonly told: number | undefined;
  readonly isSigned: boolean;
}

/** A preview with all that is said of it: a line that came later would move what is to be pressed. */
export interface WholePreview extends Previewed {
  /** Undefined where the write names no zone, or deletes it. */
  readonly touched: Touched | undefined;
}

interface EffectProps extends Pick<WholePreview, 'outcome' | 'before' | 'touched'> {
  /** What an earlier preview of the same write said; lines that it had not are marked. */
  readonly former: Outcome | undefined;
}

export function Effect({ outcome, before, touched, former }: EffectProps) {
  const { zone: after } = outcome;
  const { diff, warnings = [], summary, settings_changed: settings = [] } = outcome;
  const { records_deleted: records, versions_deleted: versions = 0 } = outcome;
  const { effects = [], risks = [] } = outcome;
  const isDeletion = records !== undefined;
  return (
    <>
      {isDeletion && (
        <p>
          It has {counted(records, 'record')} and {counted(versions, 'version')}.
        </p>
      )}
      {diff != null && (diff.entries.length > 0 || settings.length === 0) && (
        <DiffTable diff={diff} limit={200} former={former?.diff ?? undefined} />
      )}
      {settings.length > 0 && <p>Settings that change: {settings.join(', ')}.</p>}
      {diff == null && summary !== undefined && (
        <p>
          {Object.entries(summary)
            .map(([name, count]) => `${name.replaceAll('_', ' ')}: ${count}`)
            .join(', ')}
        </p>
      )}
      {!isDeletion && diff === undefined && before !== undefined && after !== undefined && (
        <SettingsDiff before={before} after={after} />
      )}
      {!isDeletion && <TouchedLine outcome={outcome} before={before} touched={touched} />}
      <Warnings warnings={warnings} />
      <Sentences label="What happens" said={effects} />
      <Sentences label="What is risked" said={risks} isFailure />
    </>
  );
}

interface SentencesProps {
  readonly label: string;
  readonly said: readonly string[];
  readonly isFailure?: boolean;
}

function Sentences({ label, said, isFailure }: SentencesProps) {
  if (said.length === 0) return null;
  return (
    <ul aria-label={label} class={isFailure ? 'failure' : undefined}>
      {said.map((each) => (
        <li key={each}>{visible(timed(each))}</li>
      ))}
    </ul>
  );
}

/** The serial that a zone would have, where that is told and another than it has. */
function serialAfter({ outcome, before }: Pick<Previewed, 'outcome' | 'before'>) {
  const { new_serial: told, serial, zone } = outcome;
  const next = told ?? serial ?? (before && zone?.serial) ?? undefined;
  return next === before?.serial ? undefined : next;
}

const secondariesAsked = 100;

export async function whole(previewed: Previewed, signal: AbortSignal): Promise<WholePreview> {
  const zone = touchedZone(previewed);
  const isUntouched = zone === undefined || previewed.outcome.records_deleted !== undefined;
  const touched = isUntouched ? undefined : await touchedBy(zone, previewed, signal);
  return { ...previewed, touched };
}

function touchedZone({ before, outcome }: Pick<Previewed, 'before' | 'outcome'>) {
  return before?.name ?? outcome.name;
}

async function touchedBy(
  zone: string,
  { isSigned: known }: Previewed,
  signal: AbortSignal,
): Promise<Touched> {
  const unknown = () => undefined;
  const mayKnow = may(zone, 'dnssec:read');
  const [secondaries, found] = await Promise.all([
    may(undefined, 'secondary:read')
      ? get<Listed<Secondary>>('/secondaries', { limit: secondariesAsked }, signal).catch(unknown)
      : undefined,
    known === undefined && mayKnow ? readZone(zone, signal).catch(unknown) : undefined,
  ]);
  const isAll = secondaries !== undefined && secondaries.pagination.total <= secondariesAsked;
  return {
    told: isAll ? secondaries.items.filter(({ enabled }) => enabled).length : undefined,
    isSigned: mayKnow && (known ?? found?.signed ?? false),
  };
}

/** One line: the serial, what is signed anew, who is told. What is not known is left out. */
function TouchedLine({ outcome, before, touched }: Omit<EffectProps, 'former'>) {
  const zone = touchedZone({ outcome, before });
  const { diff } = outcome;
  const serial = serialAfter({ outcome, before });
  const isOfRecords = diff == null || diff.entries.length > 0;
  const isChange = isOfRecords || outcome.settings_changed?.length || serial !== undefined;
  if (zone === undefined || !isChange) return null;
  const { told, isSigned = false } = touched ?? {};
  const signed = (diff?.entries ?? []).filter(({ name, type, to }) => {
    // A delegation is not signed.
    return to.length > 0 && (type !== 'NS' || name === `${zone}.`);
  });
  const parts = [
    serial !== undefined && `It becomes serial ${serial} of ${visible(zone)}.`,
    // A change of the signing says by itself what it signs.
    isSigned &&
      !outcome.effects?.length &&
      `${counted(signed.length, 'RRset')} and the SOA are signed again.`,
    told !== undefined &&
      (before?.enabled ?? true) &&
      `${told === 0 ? 'No secondary' : counted(told, 'secondary', 'secondaries')} will be told.`,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return <p>{parts.join(' ')}</p>;
}
