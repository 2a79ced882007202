/** Tags: names for serials of a zone. */
import { Problem } from '../base/problem.ts';
import { tagRoutes, zoneTag } from '../contract/tags.ts';
import { normaliseZoneName } from '../domain/zone.ts';
import { pageOfAll } from '../projection/page.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { momentIn } from './request-source.ts';

const presentTag = presenter(zoneTag);

export const tagEndpoints = endpoints(tagRoutes, {
  listTags(request) {
    const all = request.view.versions.tags(request.params.name);
    const listed = pageOfAll(all, request.page, ({ name }) => [name]);
    return json(200, presentList(listed, request, presentTag));
  },

  async tagZone(request) {
    const { name, serial: given, at } = request.body;
    if (typeof given === 'number' && at) {
      throw new Problem('INVALID_INPUT', 'serial or at: one of them, and no more');
    }
    const zoneName = normaliseZoneName(request.params.name);
    const wanted = typeof given === 'number' ? { serial: given } : momentIn('at', at);
    const { zoneId, serial } = request.view.versions.toTag(zoneName, wanted);
    const command = { kind: 'tag-zone', zoneName, zoneId, name, serial } as const;
    const { isUnchanged } = await request.submit(command);
    const made = { unchanged: isUnchanged, name: name.trim().toLowerCase(), serial };
    return json(request.created, { ...request.applied, ...made });
  },

  async untagZone(request) {
    const { tag, name } = request.params;
    const zoneName = normaliseZoneName(name);
    const { id: zoneId } = request.view.zones.with('zone:update', zoneName);
    await request.submit({ kind: 'tag-zone', zoneName, zoneId, name: tag, serial: null });
    const made = { unchanged: false, name: tag.trim().toLowerCase(), serial: null };
    return json(200, { ...request.applied, ...made });
  },
});
