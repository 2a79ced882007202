/**
 * Settings: the values that were given, by key, with the place that gave them.
 *
 * The document is walked against the table of keys, so an unknown key or section is seen at any
 * depth and named together with what the section takes.
 */
import type { ConfigProblem } from './config-error.ts';
import { type ConfigKey, configKeys, variableOf } from './config-keys.ts';
import {
  allowedOf,
  type Checked,
  type ConfigValue,
  checkValue,
  checkVariable,
} from './config-values.ts';

/** Where a value was said; later ones win. */
export type Layer = 'file' | 'variable' | 'argument';

export interface Setting {
  readonly value: ConfigValue;
  readonly layer: Layer;
}

const keyOfPath = new Map(configKeys.map((key) => [key.path, key]));
const keyOfVariable = new Map(configKeys.map((key) => [variableOf(key), key]));

/** Sections at every depth, each with the names it takes; the empty path is the whole document. */
const namesOfSection = new Map<string, Set<string>>();
for (const key of configKeys) {
  const names = key.path.split('.');
  for (const [depth, name] of names.entries()) {
    const section = names.slice(0, depth).join('.');
    const known = namesOfSection.get(section) ?? new Set();
    namesOfSection.set(section, known.add(name));
  }
}

/** Variables with our prefix that are not keys: the place of the file, and the client's server. */
const otherVariables = new Set(['ZONEBOOK_CONFIG', 'ZONEBOOK_URL', 'ZONEBOOK_TOKEN']);

export function readDocument(
  document: object,
  settings: Map<string, Setting>,
  problems: ConfigProblem[],
  section = '',
): void {
  const known = namesOfSection.get(section) ?? new Set<string>();
  for (const [name, value] of Object.entries(document)) {
    const path = section === '' ? name : `${section}.${name}`;
    const key = keyOfPath.get(path);
    if (key !== undefined) {
      take(key, path, checkValue(key, value), 'file', settings, problems);
    } else if (!known.has(name)) {
      const place = section === '' ? 'the top level' : `[${section}]`;
      problems.push({ key: path, problem: `unknown key in ${place}`, allowed: list(known) });
    } else if (isSection(value)) {
      readDocument(value, settings, problems, path);
    } else {
      problems.push({
        key: path,
        problem: 'is not a section',
        allowed: `a section of ${list(namesOfSection.get(path) ?? new Set())}`,
      });
    }
  }
}

export function readVariables(
  env: Readonly<Record<string, string | undefined>>,
  settings: Map<string, Setting>,
  problems: ConfigProblem[],
): void {
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('ZONEBOOK_') || otherVariables.has(variable)) continue;
    if (text === undefined) continue;
    const key = keyOfVariable.get(variable);
    if (key === undefined) {
      problems.push({
        key: variable,
        problem: 'unknown variable',
        allowed: 'ZONEBOOK_ and the path of a key in capitals, like ZONEBOOK_API_LISTEN_PORT',
      });
    } else {
      take(key, variable, checkVariable(key, text), 'variable', settings, problems);
    }
  }
}

/** Takes what an argument of the command line says about a key, if it was given. */
export function readArgument(
  path: string,
  argument: string,
  text: string | undefined,
  settings: Map<string, Setting>,
  problems: ConfigProblem[],
): void {
  const key = keyOfPath.get(path);
  if (key === undefined || text === undefined) return;
  take(key, argument, checkVariable(key, text), 'argument', settings, problems);
}

function take(
  key: ConfigKey,
  place: string,
  checked: Checked,
  layer: Layer,
  settings: Map<string, Setting>,
  problems: ConfigProblem[],
): void {
  if ('problem' in checked) {
    problems.push({ key: place, problem: checked.problem, allowed: allowedOf(key) });
  } else {
    settings.set(key.path, { value: checked.value, layer });
  }
}

/** True for a table of TOML: arrays and dates are objects too. */
function isSection(value: unknown): value is object {
  const prototype = typeof value === 'object' && value !== null && Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function list(names: ReadonlySet<string>): string {
  return [...names].join(', ');
}
