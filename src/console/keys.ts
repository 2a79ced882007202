/** Keys for those who do not reach for the mouse. None is taken while somebody types, and all can be switched off. */
import { signal } from '@preact/signals';
import { switchBlame } from './blame.ts';
import { compareMarked, markHere } from './marks.ts';
import { isEarlier } from './moment.ts';
import { go, hrefOf, hrefWith } from './router.ts';
import { moveByChange, moveByDay } from './time-travel.ts';
import { undoLastOwn } from './undo.ts';

const storedKey = 'zonebook-keys';
export const areKeysOn = signal(localStorage.getItem(storedKey) !== 'off');
export const isHelpOpen = signal(false);

export function switchKeys(isOn: boolean): void {
  localStorage.setItem(storedKey, isOn ? 'on' : 'off');
  areKeysOn.value = isOn;
}

/** Key or keys one after the other, what they do, and how. */
export const keys: readonly (readonly [keys: string, does: string, run: () => void])[] = [
  ['/', 'Search', () => document.querySelector<HTMLElement>('.search input')?.focus()],
  ['f', 'Filter', () => document.querySelector<HTMLElement>('main input')?.focus()],
  ['g z', 'Zones', () => go(hrefOf(['zones']))],
  ['g c', 'Changes', () => go(hrefOf(['changes']))],
  ['g s', 'Secondaries', () => go(hrefOf(['secondaries']))],
  ['g a', 'Access', () => go(hrefOf(['access']))],
  ['g b', 'Bin', () => go(hrefOf(['bin']))],
  ['g h', 'Health', () => go(hrefOf(['health']))],
  ['e', 'Edit the row', () => follow('button[aria-label^="Edit"]')],
  ['s', 'Select the row', () => follow('input[type="checkbox"]')],
  ['x', 'Delete the row', () => follow('button[aria-label^="Delete"]')],
  ['c', 'Copy the row as a line of a zone file', () => follow('button[aria-label^="Copy"]')],
  ['j', 'Next row', () => move(1)],
  ['k', 'Row before', () => move(-1)],
  ['h', 'History of the row', () => follow('a[aria-label^="History"]')],
  ['d', 'DNSSEC of the zone of the row', () => follow('a[aria-label="DNSSEC"]')],
  ['u', 'Undo the change of the row; without a row your last one', undo],
  ['n', 'New record, zone or secondary', () => press('main button[data-new]')],
  ['b', 'Show or hide who changed each record last', switchBlame],
  ['>', 'Next page', () => press('a[rel="next"]')],
  ['<', 'Page before', () => press('a[rel="prev"]')],
  ['[', 'One change back in time', () => moveByChange(-1)],
  [']', 'One change forward', () => moveByChange(1)],
  ['{', 'One day back', () => moveByDay(-1)],
  ['}', 'One day forward', () => moveByDay(1)],
  ['0', 'Back to now', () => go(hrefWith({ at: undefined }))],
  ['m a', 'Mark A: the change of the row, or the moment', () => mark('A')],
  ['m b', 'Mark B', () => mark('B')],
  ['=', 'Compare A with B, or with now', compareMarked],
  [
    '?',
    'These keys',
    () => {
      isHelpOpen.value = true;
    },
  ],
];

const mark = (side: 'A' | 'B') => void markHere(side, currentRow()?.dataset);

function press(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

function undo(): void {
  if (currentRow()?.matches('article')) follow('button[data-undo]');
  else if (!isEarlier.value) void undoLastOwn();
}

/** Without what is folded. */
function rows(): HTMLElement[] {
  const all = document.querySelectorAll<HTMLElement>('main [data-row]:not(details:not([open]) *)');
  return [...all];
}

/** The row that has the focus, itself or by what is in it. */
function currentRow(): HTMLElement | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-row]') ?? undefined;
}

function move(by: number): void {
  const all = rows();
  const current = currentRow();
  const index = current === undefined ? (by > 0 ? 0 : all.length - 1) : all.indexOf(current) + by;
  const row = all[Math.max(0, Math.min(all.length - 1, index))];
  const target = row?.querySelector<HTMLElement>('a, button:not(.ago)') ?? row;
  target?.focus();
}

function follow(selector: string): void {
  currentRow()?.querySelector<HTMLElement>(selector)?.click();
}

const togetherMs = 1000;

export function startKeys(): void {
  let first = '';
  let firstAt = 0;
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const isTyping = target instanceof Element && target.closest('input, textarea, select, dialog');
    // Brackets and braces are typed by AltGr on many keyboards.
    const isChord = !event.getModifierState('AltGraph') && (event.ctrlKey || event.altKey);
    if (!areKeysOn.value || isTyping || isChord || event.metaKey) return;
    const isSecond = first !== '' && event.timeStamp - firstAt < togetherMs;
    const pressed = isSecond ? `${first} ${event.key}` : event.key;
    const found = keys.find(([given]) => given === pressed);
    const begins = !isSecond && keys.findIndex(([given]) => given.startsWith(`${event.key} `)) >= 0;
    first = begins ? event.key : '';
    firstAt = event.timeStamp;
    if (found === undefined) return;
    event.preventDefault();
    found[2]();
  });
}
