import { it } from 'vitest';
import { openStoredZones, record } from '../support/stored-zones.ts';
import { unpackRecords, compareRecords } from '../../src/dns/record.ts';
import { RecordStore } from '../../src/projection/record-store.ts';
it('dbg', async () => {
    const n = 3, size = 40000;
    const stored = openStoredZones({ durable: false });
    await stored.zone('p');
    await stored.add('p', ...Array.from({ length: n }, (_, i) => record('x', 'TXT', 'a'.repeat(size) + String(i).padStart(4, '0'))));
    const b = stored.connection.prepare('select records, count from block where count > 0').all() as any[];
    const inBlock = [...unpackRecords(b[0].records)];
    const store = new RecordStore(stored.connection).at(1, inBlock[0]!.owner).toSorted(compareRecords);
    console.log(inBlock.map(r => r.rdata.subarray(-6).toString()), store.map(r => r.rdata.subarray(-6).toString()), inBlock.map((r,i) => r.rdata.equals(store[i]!.rdata)));
    console.log(inBlock.map(r => store.map(s => Buffer.compare(r.rdata, s.rdata))));
    await stored.close();
});
