/** Operations on secondaries (interface 4.4). */
import { examplePagination, exampleSecondary } from './examples.ts';
import { defineRoute } from './route.ts';
import { message } from './schemas/common.ts';
import {
  createSecondaryBody,
  listSecondariesQuery,
  secondaryAnswer,
  secondaryList,
  updateSecondaryBody,
} from './schemas/secondary.ts';

const secondaries = { tags: ['secondaries'], auth: 'token' } as const;
const read = { ...secondaries, action: 'secondary:read', problems: ['FORBIDDEN'] } as const;
const manage = { ...secondaries, action: 'secondary:manage' } as const;

export const listSecondaries = defineRoute({
  ...read,
  id: 'listSecondaries',
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
  method: 'POST',
  path: '/secondaries',
  summary: 'Register a secondary',
  body: createSecondaryBody,
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
  method: 'PUT',
  path: '/secondaries/{name}',
  summary: 'Update a secondary',
  description: 'Only given fields change; at least one must be given.',
  body: updateSecondaryBody,
  success: { status: 200, description: 'The secondary as it is now.', schema: secondaryAnswer },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND', 'TSIG_KEY_NOT_FOUND', 'SECONDARY_CONFLICT'],
  examples: { request: { enabled: true }, response: { secondary: exampleSecondary } },
});

export const deleteSecondary = defineRoute({
  ...manage,
  id: 'deleteSecondary',
  method: 'DELETE',
  path: '/secondaries/{name}',
  summary: 'Forget a secondary',
  success: { status: 200, description: 'It is forgotten.', schema: message },
  problems: ['FORBIDDEN', 'SECONDARY_NOT_FOUND'],
  examples: { response: { message: "secondary 'ns2' deleted" } },
});

export const secondaryRoutes = [
  listSecondaries,
  createSecondary,
  getSecondary,
  updateSecondary,
  deleteSecondary,
] as const;
