/**
 * The answer of a bulk insert as bytes of JSON, from the table of its records: the same text as
 * http/records.ts gives. It is made while it is sent.
 */
import { ByteWriter } from '../../base/byte-writer.ts';
import { quoted, readableActions, tailText } from '../../contract/record-json.ts';
import { printAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { writeIpv4, writeKey, writeNumber } from '../../dns/text-bytes.ts';
import type { RecordAction } from '../../base/action.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import { recordWriter } from '../../query/record-writer.ts';
import { AddedTexts } from './added-text.ts';
import type { BulkPlan } from './bulk-plan.ts';
import { type FileTable, PresentedRecord } from './file-table.ts';

/** Bytes buffered before they are passed on. */
const pieceBytes = 256 * 1024;
const comma = Buffer.from(',');
const idStart = Buffer.from('{"id":');
const nameStart = Buffer.from(',"name":"');

export interface BulkTextInput {
  readonly zone: Zone;
  /** Of the caller; the answer says what it may do with each record. */
  readonly rights: Rights;
  readonly table: FileTable;
  readonly plan: Pick<BulkPlan, 'judged' | 'summary'>;
  /** 0 in a dry run: then no record has an id. */
  readonly firstId: number;
}

/** What stands in the answer from the diff on; it begins with a comma. */
export function* bulkText(input: BulkTextInput): Generator<Uint8Array> {
  const text = new ByteWriter(pieceBytes + 64 * 1024);
  text.add(Buffer.from(',"diff":{"entries":['));
  yield* diffEntries(input, text);
  text.add(Buffer.from(`],"summary":${JSON.stringify(input.plan.summary)}},"records":[`));
  yield* records(input, text);
  text.add(Buffer.from(']}'));
  yield text.take();
}

function* diffEntries({ zone, table, plan }: BulkTextInput, text: ByteWriter) {
  const added = new AddedTexts(apexOf(zone));
  const presented = new PresentedRecord();
  for (let index = 0; index < table.count; ) {
    if (index > 0) text.addShort(comma, 0, 1);
    const judged = plan.judged.get(index);
    if (judged === undefined) {
      table.show(index, presented);
      added.write(presented, text);
    } else text.add(judged.text);
    index = judged?.end ?? index + 1;
    if (text.length > pieceBytes) yield text.take();
  }
}

function* records({ zone, rights, table, firstId }: BulkTextInput, text: ByteWriter) {
  const apex = apexOf(zone);
  const tail = commonTail(zone, rights);
  const write = recordWriter(zone, rights);
  // A name that needs no escapes is written up to the value in one go.
  const apexText = quoted(printAbsoluteName(apex)).slice(1);
  const addressStart = Buffer.from(`.${apexText},"type":"A","value":"`);
  const presented = new PresentedRecord();
  let endTtl = -1;
  let addressEnd = Buffer.alloc(0);
  for (let number = 0; number < table.count; number++) {
    if (number > 0) text.addShort(comma, 0, 1);
    table.showNumber(number, presented);
    const { bytes, keyStart, keyEnd, type, ttl } = presented;
    const id = firstId === 0 ? 0 : firstId + number;
    const start = text.length;
    text.addShort(idStart, 0, idStart.length);
    writeNumber(id, text);
    text.addShort(nameStart, 0, nameStart.length);
    const isShort = type === rrtype.A && keyEnd > keyStart && tail !== undefined;
    if (isShort && writeKey(bytes, keyStart, keyEnd, text)) {
      if (ttl !== endTtl) addressEnd = Buffer.from(`","ttl":${ttl},"priority":null,${tail}`);
      endTtl = ttl;
      text.addShort(addressStart, 0, addressStart.length);
      writeIpv4(bytes, keyEnd, text);
      text.add(addressEnd);
    } else {
      text.length = start;
      const { owner, rdata } = presented;
      text.add(Buffer.from(write({ id, owner, type, ttl, rdata })));
    }
    if (text.length > pieceBytes) yield text.take();
  }
}

/** What stands behind the priority of every record; undefined when the caller may do other things with some. */
function commonTail(zone: Zone, rights: Rights): string | undefined {
  const isCommon = (action: RecordAction) =>
    rights.whole(action, zone.id) || !rights.inZone(action, zone.id);
  if (!readableActions.every(isCommon)) return undefined;
  return tailText(
    zone,
    readableActions.filter((action) => rights.whole(action, zone.id)),
  );
}
