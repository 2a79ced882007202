/**
 * Mutants that were read and found to be the same program, or to change only what nobody is promised. Each names
 * the line of code as it stands, so that it is looked at again when that changes.
 */
export interface AcceptedMutant {
  readonly file: string;
  /** The whole line, without the space around it. */
  readonly line: string;
  /** What the mutation puts in. */
  readonly to: string;
  readonly because: string;
}

export const accepted: readonly AcceptedMutant[] = [
  {
    file: 'src/projection/dnssec-changes.ts',
    line: 'this.#held = 0;',
    to: ';',
    because: 'more is flushed earlier: only what it costs changes',
  },
  {
    file: 'src/writer/client.ts',
    line: 'this.#listeners.push(listener);',
    to: 'unshift',
    because: 'nobody is promised an order of listeners',
  },
  {
    file: 'src/query/reader.ts',
    line: 'return zone.recordCount + zone.dnssecCount < lookedAtHere && zone.serial - serial < changesHere;',
    to: '-',
    because: 'read here or in a thread, the text is the same: only what it costs changes',
  },
  {
    file: 'src/domain/record-rules.ts',
    line: 'if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;',
    to: '2',
    because: 'a sort looks at the sign alone',
  },
  {
    file: 'src/domain/record-rules.ts',
    line: 'if (a.code !== b.code) return a.code < b.code ? -1 : 1;',
    to: '2',
    because: 'a sort looks at the sign alone',
  },
  {
    file: 'src/domain/record-rules.ts',
    line: 'return a.target < b.target ? -1 : a.target > b.target ? 1 : 0;',
    to: '2',
    because: 'a sort looks at the sign alone',
  },
  {
    file: 'src/domain/decide-update.ts',
    line: 'if (owners.size > 1) work.load([...owners]);',
    to: '>=',
    because: 'one owner is read ahead: only what it costs changes',
  },
  {
    file: 'src/dns/packed.ts',
    line: 'const orders = new Memory<NameKey, OwnerOrder>(500);',
    to: '501',
    because: 'one more owner is remembered: only what it costs changes',
  },
  {
    file: 'src/projection/record-index.ts',
    line: 'if (removed.length === 0) {',
    to: 'false',
    because: 'the general way gives the same rows: only what it costs changes',
  },
];
