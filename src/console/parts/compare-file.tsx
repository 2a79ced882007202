/** A zone file beside the zone at the moment of the page: the difference, and the way to import it or parts of it. */
import { useState } from 'preact/hooks';
import { ask, Problem, type Zone, type ZoneDiff, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { at, isEarlier } from '../moment.ts';
import { takingOfFile } from '../difference.ts';
import { isReadOnly } from '../deleted.ts';
import { useLatest, useLatestOf } from '../latest.ts';
import { may, mayWhole } from '../permissions.ts';
import { parameter } from '../router.ts';
import { pending } from '../write.ts';
import { DiffTable, useTicks } from './diff.tsx';
import { PartFields } from './filter.tsx';
import { LinedText } from './lined-text.tsx';
import { visible } from './text.tsx';

/** RRsets of a difference that are asked for. */
const mostRrsets = 1000;
/** Characters of a file that is shown. */
const mostShown = 500_000;

const modes = [
  ['replace', 'Make the zone equal to the file'],
  ['upsert', 'Make each RRset of the file equal to the file'],
  ['append', 'Add what the zone lacks'],
] as const;

type Mode = (typeof modes)[number][0];

interface File {
  readonly text: string;
  /** Undefined for what was typed or pasted. */
  readonly name?: string;
}

interface Found {
  /** What was compared. */
  readonly text: string;
  readonly at: string;
  /** The part of the difference. */
  readonly part: string;
  readonly serial: number | null;
  readonly answer?: ZoneDiff;
  readonly errors?: readonly string[];
}

/** What is wrong with each line. */
function errorsOf(error: Error): readonly string[] {
  const message = error.message.replace(/^content: /, '');
  const isOfLines = error instanceof Problem && error.status === 400;
  return isOfLines ? message.split(/; (?=line \d+\b)/) : [message];
}

interface CompareFileProps {
  readonly zone: Zone;
  /** Whether nothing else on the page asks for a part of a difference. */
  readonly isAlone: boolean;
}

/** The part of a difference that is asked for: no parameter that is empty. */
function partOfAddress(): Record<string, string> {
  const type = parameter('type').toUpperCase();
  const given = { name: parameter('name'), type, value: parameter('value') };
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''));
}

export function CompareFile({ zone, isAlone }: CompareFileProps) {
  const [file, setFile] = useState<File>({ text: '' });
  const [found, hear] = useLatest<Found>();
  const { text } = file;
  const part = partOfAddress();
  const compare = async (): Promise<Found> => {
    const compared = { text, at: at.value, serial: zone.serial, part: JSON.stringify(part) };
    const moment = at.value !== '' && { at: at.value };
    const body = { content: text, limit: mostRrsets, ...part, ...moment };
    try {
      const answer = await ask<ZoneDiff>('POST', zonePath(zone.name, '/diff'), { body });
      return { ...compared, answer };
    } catch (error) {
      return { ...compared, errors: errorsOf(error as Error) };
    }
  };
  const choose = useLatestOf(setFile);
  const take = (files: FileList | null | undefined) => {
    const [first] = files ?? [];
    if (first !== undefined)
      choose(first.text().then((read) => ({ text: read, name: first.name })));
  };
  // The page may have been reading the zone anew when it was compared.
  const isOfZone = found?.serial === zone.serial || found?.answer?.from_serial === zone.serial;
  const isSame =
    found?.text === text &&
    found.at === at.value &&
    found.part === JSON.stringify(part) &&
    (isEarlier.value || isOfZone);
  const said = isSame ? found : undefined;
  return (
    <section
      aria-label="Compare with a file"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer?.files);
      }}
    >
      <h2>With a zone file</h2>
      <label class="filter">
        <span>Choose a file, drop it here, or paste its text below</span>
        <input
          type="file"
          onChange={(event) => take(event.currentTarget.files)}
          key={String(text === '')}
        />
      </label>
      {text.length > mostShown ? (
        <p class="muted">
          {visible(file.name ?? 'The text')} is too long to be shown; it can be compared all the
          same.
        </p>
      ) : (
        <LinedText
          label="Text of the file"
          text={text}
          errors={said?.errors ?? []}
          change={(typed) => setFile({ text: typed })}
          submit={() => hear(compare())}
          rows={8}
        />
      )}
      {isAlone && text !== '' && (
        <div class="filters">
          <PartFields />
        </div>
      )}
      <p class="controls">
        <button type="button" disabled={text.trim() === ''} onClick={() => hear(compare())}>
          Compare with the file
        </button>
        {text !== '' && (
          <button type="button" class="quiet" onClick={() => setFile({ text: '' })}>
            Clear
          </button>
        )}
      </p>
      {said?.answer !== undefined && (
        <>
          <Difference
            key={JSON.stringify(said.answer)}
            zone={zone}
            file={file}
            answer={said.answer}
          />
          {!isEarlier.value && said.answer.diff.entries.length > 0 && (
            <Import zone={zone} file={file} done={() => setFile({ text: '' })} />
          )}
        </>
      )}
    </section>
  );
}

interface DifferenceProps {
  readonly zone: Zone;
  readonly file: File;
  readonly answer: ZoneDiff;
}

function Difference({ zone, file, answer }: DifferenceProps) {
  const { diff, from_serial: serial, next_cursor: next } = answer;
  const { ticks, ticked } = useTicks();
  const canTake =
    !isReadOnly.value && may(zone.name, 'record:create', 'record:update', 'record:delete');
  const { added, changed, removed } = diff.summary;
  return (
    <>
      <p role="status">
        To be as the file, serial {serial} would have to change: {counted(added, 'RRset')} added,{' '}
        {changed} changed, {removed} removed.
        {next !== null && ` The first ${mostRrsets.toLocaleString('en')} are shown.`}
      </p>
      {canTake && ticked.length > 0 && (
        <button
          type="button"
          onClick={() => {
            pending.value = takingOfFile(zone.name, ticked, file.name ?? 'the text');
          }}
        >
          Take {counted(ticked.length, 'ticked RRset')} from the file
        </button>
      )}
      <DiffTable diff={diff} limit={mostRrsets} ticks={canTake ? ticks : undefined} />
    </>
  );
}

interface ImportProps {
  readonly zone: Zone;
  readonly file: File;
  readonly done: () => void;
}

function Import({ zone, file: { text, name }, done }: ImportProps) {
  const canAdd = mayWhole(zone.name, 'record:create');
  const canRemove = mayWhole(zone.name, 'record:delete');
  const allowed = modes.filter(([id]) => id === 'append' || canRemove);
  const [mode, setMode] = useState<Mode>(allowed[0]![0]);
  if (!canAdd) return null;
  const lead = () => {
    pending.value = {
      title: `Import ${name ?? 'the text'} into ${zone.name}`,
      button: 'Import',
      method: 'POST',
      path: zonePath(zone.name, '/import'),
      body: { content: text, mode },
      zone: zone.name,
      onDone: done,
    };
  };
  return (
    <div class="filters">
      <label class="filter">
        <span>How it is imported</span>
        <select value={mode} onChange={(event) => setMode(event.currentTarget.value as Mode)}>
          {allowed.map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="primary" onClick={lead}>
        Import…
      </button>
    </div>
  );
}
