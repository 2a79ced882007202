/** Why a token or a TSIG key may do something, or what it lacks. */
import { explainRoutes } from '../contract/explain.ts';
import { roleGrant } from '../contract/access.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter } from './fields.ts';
import { storedType } from './records.ts';

const presentGrant = presenter(roleGrant);

export const explainEndpoints = endpoints(explainRoutes, {
  explainAccess({ query, caller, view }, { clock }) {
    const type = query.type === undefined ? undefined : storedType(query.type);
    const { grant, needed, ...found } = view.explain.explain(
      { ...query, type },
      caller.actor,
      clock(),
    );
    return json(200, {
      explanation: {
        allowed: found.allowed,
        message: found.message,
        subject: found.subject && { kind: found.subject.kind, name: found.subject.name },
        role_name: found.subject?.roleName ?? null,
        sees_zone: found.seesZone,
        reason_required: found.reasonRequired,
        grant: grant && presentGrant(grant),
        needed_grant: needed && {
          zone_name: needed.zoneName,
          actions: needed.actions,
          record_name_pattern: needed.recordNamePattern,
          record_types: needed.recordTypes,
        },
      },
    });
  },
});
