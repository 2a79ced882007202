/** Who made each RRset what it is: asked owner by owner, for what is on the screen alone. */
import { signal } from '@preact/signals';
import { type BlamedRrset, get, zonePath } from './api.ts';

const storedKey = 'zonebook-blame';
/** Whether it stands beside records. */
export const isBlameOn = signal(localStorage.getItem(storedKey) !== 'off');

export function switchBlame(): void {
  isBlameOn.value = !isBlameOn.value;
  localStorage.setItem(storedKey, isBlameOn.value ? 'on' : 'off');
}

interface Version {
  readonly zone: string;
  readonly serial: number | null;
  /** '' for now. */
  readonly at: string;
}

/** By owner, of one version: what was asked of another one is forgotten. */
let answers = new Map<string, Promise<readonly BlamedRrset[]>>();
let answersOf = '';

/** All RRsets of an owner, which is relative to the zone. A refusal is kept like an answer, as none. */
export function blameOf(version: Version, owner: string): Promise<readonly BlamedRrset[]> {
  const { zone, at } = version;
  const key = JSON.stringify(version);
  if (answersOf !== key) answers = new Map();
  answersOf = key;
  const known = answers.get(owner);
  if (known !== undefined) return known;
  const asked = get<{ items: readonly BlamedRrset[] }>(zonePath(zone, '/blame'), {
    name: owner,
    at,
  }).then(
    ({ items }) => items,
    () => [],
  );
  answers.set(owner, asked);
  return asked;
}
