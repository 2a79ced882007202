/** Operations on secondaries (interface 4.4). */
import {
  examplePagination,
  exampleProbe,
  exampleSecondary,
  exampleTransfer,
  exampleTransferSummary,
} from './examples.ts';
import { defineRoute } from './route.ts';
import { message } from './schemas/common.ts';
import {
  createSecondaryBody,
  listSecondariesQuery,
  listTransfersQuery,
  secondaryAnswer,
  secondaryCheck,
  secondaryList,
  secondaryTransfers,
  updateSecondaryBody,
} from './schemas/secondary.ts';

const secondaries = { tags: ['secondaries'], auth: 'token' } as const;
const read = { ...secondaries, action: 'secondary:read', problems: ['FORBIDDEN'] } as const;
const manage = { ...secondaries, action: 'secondary:manage' } as const;

export const listSecondaries = defineRoute({
  ...read,
  id: 'listSecondaries',
  admission: { by: 'token' },
  method: 'GET',
  path: '/secondaries',
  summary: 'List secondaries, disabled ones included',
  query: listSecondariesQuery,
  success: { status: 200, description: 'A page of secondaries.', schema: secondaryList },
  examples: { response: { items: [exampleSecondary], pagination: examplePagination } },
});

export const createSecondary = defineRoute({
  ...manage,
  id: 'createSecondary',
  admission: { by: 'everywhere', action: 'secondary:manage' },
  method: 'POST',
  path: '/secondaries',
  summary: 'Register a secondary',
  body: createSecondaryBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'The new secondary.', schema: secondaryAnswer },
  problems: ['FORBIDDEN', 'TSIG_KEY_NOT_FOUND', 'SECONDARY_CONFLICT'],
  examples: {
    request: { name: 'ns2', address: '192.0.2.53' },
    response: { secondary: exampleSecondary },
  },
});

export const getSecondary = defineRoute({
  ...read,
  id: 'getSecondary',
  admission: { by: 'secondary', action: 'secondary:read' },
  method: 'GET',
  path: '/secondaries/{name}',
  summary: 'Get a secondary',
  success: { status: 200, description: 'The secondary.', schema: secondaryAnswer },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND'],
  examples: { response: { secondary: exampleSecondary } },
});

export const updateSecondary = defineRoute({
  ...manage,
  id: 'updateSecondary',
  admission: { by: 'secondary', action: 'secondary:manage' },
  method: 'PUT',
  path: '/secondaries/{name}',
  summary: 'Update a secondary',
  description: 'Only given fields change; at least one must be given.',
  body: updateSecondaryBody,
  bodyLimit: 'ordinary',
  success: { status: 200, description: 'The secondary as it is now.', schema: secondaryAnswer },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND', 'TSIG_KEY_NOT_FOUND', 'SECONDARY_CONFLICT'],
  examples: { request: { enabled: true }, response: { secondary: exampleSecondary } },
});

export const deleteSecondary = defineRoute({
  ...manage,
  id: 'deleteSecondary',
  admission: { by: 'secondary', action: 'secondary:manage' },
  method: 'DELETE',
  path: '/secondaries/{name}',
  summary: 'Forget a secondary',
  success: { status: 200, description: 'It is forgotten.', schema: message },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND'],
  examples: { response: { message: "secondary 'ns2' deleted" } },
});

export const checkSecondary = defineRoute({
  ...manage,
  id: 'checkSecondary',
  admission: { by: 'secondary', action: 'secondary:manage' },
  method: 'POST',
  path: '/secondaries/{name}/check',
  summary: 'Check a secondary, disabled or not',
  description:
    'Resolves its address, asks it for the serial of the catalog zone and sends it a real NOTIFY ' +
    'for the catalog zone. What fails is told in the answer.',
  success: { status: 200, description: 'What was found.', schema: secondaryCheck },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND'],
  examples: {
    response: {
      secondary: exampleSecondary,
      addresses: ['192.0.2.53'],
      resolve_error: null,
      catalog_zone_name: 'catalog.invalid',
      catalog_serial: 2,
      catalog: {
        ...exampleProbe,
        last_transfer: { ...exampleTransfer, zone_name: 'catalog.invalid' },
      },
      listener_error: null,
      notifies: [{ address: '192.0.2.53', error: null }],
      transfers: exampleTransferSummary,
    },
  },
});

export const listTransfers = defineRoute({
  ...read,
  id: 'listTransfers',
  admission: { by: 'secondary', action: 'secondary:read' },
  method: 'GET',
  path: '/secondaries/{name}/transfers',
  summary: 'List what a secondary transferred',
  description: 'The latest transfer of each zone by each address of the secondary, newest first.',
  query: listTransfersQuery,
  success: { status: 200, description: 'Transfers and their summary.', schema: secondaryTransfers },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND', 'ZONE_NOT_FOUND'],
  examples: {
    response: {
      secondary_name: 'ns2',
      address: '192.0.2.53:53',
      summary: exampleTransferSummary,
      transfers: [exampleTransfer],
    },
  },
});

export const secondaryRoutes = [
  listSecondaries,
  createSecondary,
  getSecondary,
  updateSecondary,
  deleteSecondary,
  checkSecondary,
  listTransfers,
] as const;
