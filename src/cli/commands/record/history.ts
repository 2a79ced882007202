/** `record history`: GET /records/{id}/history. */
import { defineCommand } from '../../command.ts';
import { required } from '../../field.ts';
import { pageOptions } from '../../page.ts';
import { showHistory } from '../history.ts';
import { parseId } from './shared.ts';

export const recordHistory = defineCommand({
  usage: 'history <id>',
  summary: 'Show who changed a record and when, newest first',
  notes: 'Records that have been deleted have a history too.',
  examples: [['zonebook record history 7', 'everything that happened to the record with id 7']],
  positionals: { id: required('id of the record') },
  options: pageOptions,
  run: ({ id, ...page }, context) =>
    showHistory(`/records/${parseId(id)}/history`, {}, page, context),
});
