/**
 * Words that the project has retired, each with what is said instead: the standard term of the RFC, of SQLite or
 * of Node. A word of everyday English is looked for in names alone; there it stands for a thing.
 */
export interface RetiredWord {
  /** The forms it comes in, small letters; several words make an expression. */
  readonly forms: readonly string[];
  readonly use: string;
  /** In names of code and files alone; else also in comments, messages and pages. */
  readonly inNamesOnly?: true;
  /** Files, by globs from the top of the repository, where the word has its usual meaning. */
  readonly allowed?: readonly string[];
}

export const retiredWords: readonly RetiredWord[] = [
  { forms: ['step', 'steps'], use: 'change, version or serial increment', inNamesOnly: true },
  { forms: ['half', 'halves'], use: 'removed set, added set', inNamesOnly: true },
  { forms: ['derived'], use: 'DNSSEC records, generated' },
  { forms: ['told', 'heard', 'noted'], use: 'retained, reported, buffered' },
  { forms: ['stand in for', 'stands in for', 'stand-in', 'stand-ins'], use: 'checkpoint' },
  {
    forms: ['let go', 'lets go', 'by and by', 'is gone', 'are gone'],
    use: 'delete, expire, purge; gradually',
    // An action of the interface: parents-let-go.
    allowed: ['spec/manual/dnssec.md'],
  },
  { forms: ['gone'], use: 'deleted, expired, purged', inNamesOnly: true },
  { forms: ['settle', 'settles', 'settled'], use: 'flush, drain, wait until committed; reconcile' },
  { forms: ['place', 'places'], use: 'offset, index, location', inNamesOnly: true },
  {
    forms: ['content', 'contents'],
    use: 'generation, of a zone',
    inNamesOnly: true,
    allowed: [
      'src/http/**',
      'src/contract/**',
      'src/cli/**',
      'src/console/**',
      // The content of an event is its payload and its records.
      'src/journal/{event-row,event-writer,schema,verify}.ts',
    ],
  },
  { forms: ['absorbed', 'orphan', 'orphans'], use: 'merged, leftovers' },
  { forms: ['shown'], use: 'view; presented' },
  { forms: ['written'], use: 'raw, of JSON records', inNamesOnly: true },
  {
    forms: ['apart', 'crowd', 'ordinary', 'plain', 'bare'],
    use: 'the one writer',
    inNamesOnly: true,
  },
  { forms: ['under way', 'on its way', 'on their way', 'gathered'], use: 'in flight, pending' },
  {
    forms: ['hand over', 'hands over', 'handed over', 'arrived'],
    use: 'submit, committed',
  },
  {
    forms: ['desk', 'desks', 'law', 'laws', 'deed', 'deeds', 'errand', 'errands', 'wish', 'wishes'],
    use: 'service, domain rule, operation, job, request',
  },
  { forms: ['door', 'doors'], use: 'listener or API' },
  { forms: ['stretch', 'stretches'], use: 'range, key range' },
  {
    forms: ['past', 'mention', 'mentions', 'fate', 'fates'],
    use: 'history, undo entry, net change',
    inNamesOnly: true,
  },
  { forms: ['way', 'ways'], use: 'signing parameters', inNamesOnly: true },
  {
    forms: ['standing'],
    use: 'authority: authoritative, delegation, occluded',
    inNamesOnly: true,
  },
  {
    forms: ['window', 'windows', 'life', 'lives', 'anew'],
    use: 'validity period, lifetime, again',
    inNamesOnly: true,
    // Window blocks of RFC 4034 4.1.2.
    allowed: ['src/dns/rdata/fields/bitmap.ts'],
  },
  { forms: ['hands', 'opinion', 'opinions'], use: 'workers, verifier', inNamesOnly: true },
  { forms: ['second opinion'], use: 'verifier' },
  { forms: ['patience', 'nap'], use: 'timeout, yield', inNamesOnly: true },
  { forms: ['give way', 'gives way'], use: 'yield' },
  { forms: ['octet', 'octets'], use: 'bytes, except in a quotation of an RFC' },
  { forms: ['most', 'least'], use: 'max, min', inNamesOnly: true },
  { forms: ['few', 'some'], use: 'a number with its unit', inNamesOnly: true },
  { forms: ['so many'], use: 'a number with its unit' },
  {
    forms: 'fault faults finding findings refusal refusals verdict verdicts'.split(' '),
    use: 'Problem, assertion, CheckResult, ZoneFileError',
    inNamesOnly: true,
  },
  { forms: ['is not there'], use: 'does not exist' },
  { forms: ['read it again'], use: 'fetch it again and retry' },
  { forms: ['who may pull'], use: 'clients allowed to transfer' },
  { forms: ['what it did is gone'], use: 'details removed by retention' },
];

/** Names that stay: of ECMAScript and Node, of columns, of HTTP and of the interface. */
export const keptNames: ReadonlySet<string> = new Set([
  ...['some', 'allSettled', 'allowHalfOpen', 'bytesWritten'],
  ...['content', 'place', 'formerContent'],
  'contentType',
  ...['next_steps', 'nextSteps', 'findings', 'findings_total', 'verify_findings'],
]);
