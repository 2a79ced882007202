/** What tests of records share: a service, a fresh zone for each test, and short ways to use both. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { InProcessService } from './in-process.ts';

export const input = (name: string, type: string, value: unknown, more: object = {}) => ({
  name,
  type,
  value,
  ...more,
});

export class RecordDesk {
  service!: InProcessService;
  /** Name of the test's own zone, at serial 1 with its apex NS. */
  zone = '';
  zoneId = 0;
  #made = 0;

  /** Registers the hooks; call it at the top of a file. */
  static open(): RecordDesk {
    const desk = new RecordDesk();
    beforeAll(() => {
      desk.service = new InProcessService();
    });
    afterAll(() => desk.service.close());
    beforeEach(async () => {
      desk.zone = `r${++desk.#made}.example`;
      desk.zoneId = (await desk.service.createZone(desk.zone)).id;
      desk.service.changes();
    });
    return desk;
  }

  readonly add = async (name: string, type: string, value: unknown, more: object = {}) => {
    const body = { zone_name: this.zone, ...input(name, type, value, more) };
    return (await this.service.call('POST', '/records', body, 201)).record;
  };

  readonly refuseAdd = (
    name: string,
    type: string,
    value: unknown,
    code: string,
    more: object = {},
    says = '',
  ) => {
    const body = { zone_name: this.zone, ...input(name, type, value, more) };
    return this.service.refused('POST', '/records', body, code, says);
  };

  readonly bulk = (records: object[], more: object = {}, status = 201) => {
    const body = { zone_name: this.zone, records, ...more };
    return this.service.call('POST', '/records/bulk', body, status);
  };

  readonly rows = async (query = '') =>
    (await this.service.call('GET', `/records?zone_name=${this.zone}${query}`)).items;

  /** Names before the zone, types and values of rows. */
  readonly brief = async (query = ''): Promise<string[]> => {
    const items: { name: string; type: string; value: unknown }[] = await this.rows(query);
    return items.map(
      ({ name, type, value }) => `${name.replace(`${this.zone}.`, '')} ${type} ${value}`,
    );
  };
}
