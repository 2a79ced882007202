/** `change` and `record set`: changes of RRsets, of which the first takes many in several zones from a file. */
import type { Changes } from '../answers.ts';
import { diffLines, firstOf } from '../changes.ts';
import { readAll } from '../environment.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { domainName, list, needed, required, whole } from '../field.ts';
import { type PassedOn, passOn } from '../from-contract.ts';
import type { Output } from '../output.ts';

/** What both take and show; why is said by options of every command. */
const changing = {
  route: 'applyChanges',
  presents: 'change',
  show: changesText,
  changes: ({ zones }) => zones.find(({ diff }) => entriesOf(diff).length > 0) !== undefined,
} satisfies Partial<PassedOn<Changes>>;
const fields = { zones: null, reason: null, reference: null };

export const change = passOn<Changes>({
  ...changing,
  usage: 'change <file>',
  summary: 'Change RRsets of one or several zones as one, all or nothing',
  notes:
    'The file is JSON: {"zones": [{"name": "example.com", "set": [{"name": "www", "type": "A",\n' +
    '"ttl": 300, "values": ["192.0.2.1"]}], "add": [], "delete": [{"name": "old"}]}]}.\n' +
    'A dry run answers with a plan_hash: given with the same file, it is only made as you have seen it.',
  examples: [
    ['$0 move.json --dry-run', 'what would change?'],
    ['$0 move.json --reason "moves to the new rack"', 'do it'],
    ['generate | $0 - --plan-hash HASH', 'only if it is what was looked at'],
  ],
  fields: {
    ...fields,
    file: required('file with the changes, or - for standard input'),
    planHash: 'of the dry run that was looked at',
  },
  async prepare({ file, ...values }, { services }) {
    return { ...values, ...parseChanges(await readAll(String(file), services), String(file)) };
  },
});

export const recordSet = passOn<Changes>({
  ...changing,
  usage: 'set <zone> <name> <type> <value..>',
  summary: 'Make an RRset have exactly these values',
  notes:
    'Each value is a word of its own, as in a zone file: those of MX and SRV begin with the priority.',
  examples: [
    ['$0 example.com www A 192.0.2.1 192.0.2.2 --ttl 300', 'two addresses'],
    ['$0 example.com @ MX "10 mail.example.com."', 'mail'],
  ],
  fields: {
    ...fields,
    planHash: null,
    zone: domainName(required('name of the zone')),
    name: domainName(required('owner, relative to the zone; @ for the zone itself')),
    type: required('type, like A or TXT, or TYPE and its number'),
    value: needed(list('values; one word each')),
    ttl: whole("TTL in seconds; that of the RRset when left out, else the zone's default"),
  },
  rest: 'value',
  prepare({ zone, name, type, value, ttl, ...values }) {
    return { ...values, zones: [{ name: zone, set: [{ name, type, ttl, values: value }] }] };
  },
});

function parseChanges(json: string, file: string): object {
  try {
    const body: unknown = JSON.parse(json);
    if (typeof body === 'object' && body !== null && 'zones' in body) {
      const { zones, reason, reference, plan_hash: planHash } = body as Record<string, unknown>;
      const given = { zones, reason, reference, planHash };
      return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    }
    throw new Error('it has no zones');
  } catch (error) {
    const name = file === '-' ? 'standard input' : file;
    const hint = "see 'zonebook change --help'";
    throw new CliFailure(exitCode.failure, `${name}: ${(error as Error).message}`, hint);
  }
}

/** They are left out of an answer only where that is asked for, which is never here. */
function entriesOf(diff: Changes['zones'][number]['diff']) {
  return diff?.entries ?? [];
}

/** Of many zones together no more lines are presented than of one. */
function changesText(answer: Changes, { paint, maxLines }: Output): string {
  const none = answer.zones.length === 0 ? ['nothing changes: no zone is named'] : [];
  const verb = answer.dry_run ? 'would change' : 'changed';
  let left = maxLines;
  const textOf = ({ name, serial, diff }: Changes['zones'][number]): string => {
    const entries = entriesOf(diff);
    if (entries.length === 0) return `nothing changes in zone ${name}`;
    const lines = diffLines({ entries }, { paint, maxLines: left });
    left = Math.max(0, left - lines.length);
    return [`${verb} zone ${name} to serial ${serial}`, ...lines].join('\n');
  };
  const lines = firstOf(answer.zones, 'zones', { maxLines }, textOf);
  return [...none, ...lines, ...(answer.dry_run ? [`plan_hash ${answer.plan_hash}`] : [])].join(
    '\n',
  );
}
