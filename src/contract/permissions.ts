/** What the caller may do (interface 4.6). */
import { defineRoute } from './route.ts';
import { permissions } from './schemas/access.ts';

export const getPermissions = defineRoute({
  tags: ['tokens'],
  auth: 'token',
  id: 'getPermissions',
  admission: { by: 'token' },
  method: 'GET',
  path: '/permissions',
  summary: 'Get what this call may do',
  description: 'A zone in which exactly as much is held as in all zones is left out.',
  action: 'none',
  success: { status: 200, description: 'Actions in all zones and by zone.', schema: permissions },
  problems: [],
  examples: {
    response: {
      all_zones: { actions: ['zone:read'], whole_zone: [] },
      zones: [
        {
          zone_name: 'example.com',
          actions: ['zone:read', 'record:read', 'record:create'],
          whole_zone: ['record:read'],
        },
      ],
    },
  },
});
