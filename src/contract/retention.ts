/** What lets history go for good (decisions 16). */
import { exampleZone } from './examples.ts';
import { defineRoute } from './route.ts';
import { forgetAnswer, forgetBody, purgeQuery } from './schemas/retention.ts';
import { zoneDeletion } from './schemas/zone.ts';

const zones = {
  tags: ['zones'],
  auth: 'token',
  method: 'POST',
} as const;

export const purgeZone = defineRoute({
  ...zones,
  id: 'purgeZone',
  admission: { by: 'everywhere', action: 'zone:delete' },
  path: '/zones/{name}/purge',
  action: 'zone:delete in all zones',
  summary: 'Let go of a deleted zone for good',
  description: 'Its records and versions can not be brought back. That it was there stays known.',
  query: purgeQuery,
  success: { status: 200, description: 'What is gone.', schema: zoneDeletion },
  problems: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  examples: {
    response: {
      applied: true,
      dry_run: false,
      records_deleted: 1,
      versions_deleted: 1,
      warnings: [],
      zone: exampleZone,
    },
  },
});

export const forgetHistory = defineRoute({
  ...zones,
  id: 'forgetHistory',
  admission: { by: 'zone', action: 'zone:delete' },
  path: '/zones/{name}/forget-history',
  action: 'zone:delete',
  summary: 'Let go of old versions of a zone',
  description:
    'The version in force at that time stays, older ones go, with all that later ones took away ' +
    'from them. Who changed the zone when stays known.',
  body: forgetBody,
  bodyLimit: 'ordinary',
  success: { status: 200, description: 'What is gone.', schema: forgetAnswer },
  problems: ['INVALID_INPUT', 'FORBIDDEN', 'ZONE_NOT_FOUND'],
  examples: {
    request: { before: '2026-01-31T12:00:00Z' },
    response: {
      applied: true,
      dry_run: false,
      warnings: [],
      versions_forgotten: 12,
      oldest_serial: 13,
      zone: { ...exampleZone, serial: 20 },
    },
  },
});

export const retentionRoutes = [purgeZone, forgetHistory] as const;
