/** Cells of the list of zones that take a question each: records, signing, secondaries, the last change. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  type DnssecStatus,
  get,
  type Listed,
  Problem,
  type VersionFacts,
  type Zone,
  type ZoneStatus,
  zonePath,
} from '../api.ts';
import { counted } from '../counted.ts';
import { at } from '../moment.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { Turns } from '../turns.ts';
import { actorText } from '../words.ts';
import { Ago, visible } from './text.tsx';

/** What the service knows itself is not kept waiting by what it has to ask other servers for. */
const known = new Turns(3);
const probed = new Turns(2);

interface CellProps {
  readonly zone: Zone;
  /** Nothing is asked before; what was asked and is no longer looked at is given up. */
  readonly isOnScreen: boolean;
}

type Found<Answer> = 'awaited' | 'hidden' | 'unknown' | { readonly answer: Answer };

interface Question {
  readonly turns: Turns;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly isAllowed: boolean;
}

/** Asks when a row comes onto the screen, and again for another serial or moment. */
function useAnswer<Answer>({ zone, isOnScreen }: CellProps, question: Question): Found<Answer> {
  const [found, setFound] = useState<Found<Answer>>('awaited');
  const [answered, setAnswered] = useState<string>();
  const { turns, path, query = {}, isAllowed } = question;
  const key = JSON.stringify([zone.id, zone.serial, zone.enabled, path, query]);
  useEffect(() => {
    if (!isOnScreen || !isAllowed || answered === key) return;
    const aborting = new AbortController();
    const { signal } = aborting;
    const take = (taken: Found<Answer>) => {
      if (signal.aborted) return;
      setFound(taken);
      setAnswered(key);
    };
    turns
      .ask(signal, () => get<Answer>(path, query, signal))
      .then(
        (answer) => take({ answer }),
        (error) => take(isRefusal(error) ? 'hidden' : 'unknown'),
      );
    return () => aborting.abort();
  }, [isOnScreen, isAllowed, key]);
  return isAllowed ? found : 'hidden';
}

function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.status === 403 || error.status === 404);
}

const words = { awaited: '…', hidden: 'not visible to you', unknown: 'not known' } as const;

function Told<Answer>({
  found,
  children,
}: {
  readonly found: Found<Answer>;
  readonly children: (answer: Answer) => ComponentChildren;
}) {
  if (typeof found === 'string') {
    return (
      <span class="muted" aria-busy={found === 'awaited'}>
        {words[found]}
      </span>
    );
  }
  return <>{children(found.answer)}</>;
}

/** How many there are for this caller; the SOA is none. */
export function RecordsCell(cell: CellProps) {
  const { name } = cell.zone;
  const query = { zone_name: name, limit: 1 };
  const question = { turns: known, path: '/records', query, isAllowed: may(name, 'record:read') };
  const found = useAnswer<Listed<unknown>>(cell, question);
  return <Told found={found}>{({ pagination }) => pagination.total.toLocaleString('en')}</Told>;
}

export function DnssecCell(cell: CellProps) {
  const { name } = cell.zone;
  const isAllowed = may(name, 'dnssec:read');
  const path = zonePath(name, '/dnssec');
  const found = useAnswer<DnssecStatus>(cell, { turns: known, path, isAllowed });
  return (
    <Told found={found}>
      {(status) => {
        const { text, kind } = signing(status);
        return (
          <a class={`state ${kind}`} href={hrefOf(['zones', name, 'dnssec'])}>
            {text}
          </a>
        );
      }}
    </Told>
  );
}

/** One or two words, and whether they are good to read. */
function signing({
  enabled,
  withdrawing,
  keys,
  expired_signatures: expired,
  foreign_ds_since: foreign,
  next_steps: steps,
}: DnssecStatus): { readonly text: string; readonly kind: 'good' | 'bad' | '' } {
  if (!enabled) return { text: 'unsigned', kind: '' };
  if (expired > 0) return { text: 'signatures expired', kind: 'bad' };
  if (foreign !== null) return { text: 'foreign DS', kind: 'bad' };
  if (steps.findIndex(({ blocked_by: by }) => by !== null) >= 0) {
    return { text: 'key roll waits', kind: 'bad' };
  }
  if (withdrawing) return { text: 'DS being withdrawn', kind: '' };
  const isRolling = keys.findIndex(({ state }) => state !== 'active') >= 0;
  return isRolling ? { text: 'signed, rolling', kind: 'good' } : { text: 'signed', kind: 'good' };
}

export function SecondariesCell(cell: CellProps) {
  const { name } = cell.zone;
  const isAllowed = may(name, 'zone:read');
  const path = zonePath(name, '/status');
  const found = useAnswer<ZoneStatus>(cell, { turns: probed, path, isAllowed });
  return (
    <Told found={found}>
      {({ secondaries }) => {
        if (secondaries.length === 0) return <span class="muted">none</span>;
        const { text, kind } = following(secondaries);
        return (
          <a class={`state ${kind}`} href={hrefOf(['zones', name, 'secondaries'])}>
            {text}
          </a>
        );
      }}
    </Told>
  );
}

function following(secondaries: ZoneStatus['secondaries']) {
  const count = (...wanted: readonly string[]) =>
    secondaries.filter(({ status }) => wanted.includes(status)).length;
  const parts = [
    [count('in_sync'), 'in sync'] as const,
    [count('lagging'), 'behind'] as const,
    [count('ahead'), 'ahead'] as const,
    [count('reachable', 'unreachable'), 'not known'] as const,
  ].filter(([number]) => number > 0);
  const [[, word], ...others] = parts as [(typeof parts)[number], ...typeof parts];
  const kind = others.length === 0 && word === 'in sync' ? 'good' : 'bad';
  const all = counted(secondaries.length, 'secondary', 'secondaries');
  if (others.length === 0) return { text: `${word}: ${all}`, kind };
  const text = parts.map(([number, each]) => `${number} ${each}`).join(', ');
  return { text: `${text} of ${secondaries.length}`, kind };
}

export function ChangeCell(cell: CellProps) {
  const { name } = cell.zone;
  const isAllowed = may(name, 'zone:read');
  const query = { limit: 1, ...(at.value !== '' && { at: at.value }) };
  const question = { turns: known, path: zonePath(name, '/versions'), query, isAllowed };
  const found = useAnswer<Listed<VersionFacts>>(cell, question);
  return (
    <Told found={found}>
      {({ items: [last] }) =>
        last === undefined ? (
          <span class="muted">not known</span>
        ) : (
          <a href={hrefOf(['zones', name, 'timeline'])}>
            {at.value !== '' && `serial ${last.serial}, `}
            <Ago time={last.created_at} isLinked /> by{' '}
            {visible(actorText({ actor: last.actor, source: last.change_source }))}
          </a>
        )
      }
    </Told>
  );
}
