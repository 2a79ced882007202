/** The model's answers about what decides access: an administrator's, for who manages access, and to each of itself. */
import { adminAnswer, type Asked, isMisread, missing } from './asked.ts';
import { type Answered, missingZone, type World } from './world.ts';

export const explainFilters = (world: World) => ({
  token: ['caller-1', 'caller-2', 'none'],
  tsig_key: ['key.example', 'none'],
  action: ['record:read', 'record:create', 'zone:read', 'zone:create', 'access:manage', 'nothing'],
  zone: [...world.zones.map(({ name }) => name), missingZone],
  name: ['www', '@', 'a.sub', 'www.plain.example.', 'nowhere.test'],
  type: ['A', 'TXT', 'NONE'],
});

export async function explainOf(asked: Asked): Promise<Answered> {
  const { caller, query, world } = asked;
  const { model } = caller;
  const [token, key] = [query.get('token'), query.get('tsig_key')];
  const action = query.get('action');
  const isBadQuery =
    action === undefined || action === 'nothing' || (token !== undefined && key !== undefined);
  if (isBadQuery || query.get('type') === 'NONE') return adminAnswer(asked);
  const isManager = model.everywhere('access:manage');
  if (key !== undefined && !isManager) return missing('TSIG_KEY_NOT_FOUND', `TSIG key '${key}'`);
  if (token !== undefined && !isManager && token !== caller.name) {
    return missing('TOKEN_NOT_FOUND', `token '${token}'`);
  }
  // Everybody may ask about itself.
  const about = new Map(key === undefined ? [...query, ['token', token ?? caller.name]] : query);
  const answer = await adminAnswer({ ...asked, query: about });
  if (isMisread(answer) || /^(TOKEN|TSIG_KEY)_NOT_FOUND$/.test(answer.body.code)) return answer;
  const [zone, name] = [query.get('zone'), query.get('name')];
  const seen = world.zones.filter(({ id }) => model.sees(id));
  if (zone !== undefined) {
    if (!seen.some((one) => one.name === zone)) return missing('ZONE_NOT_FOUND', `zone '${zone}'`);
  } else if (name !== undefined) {
    const isInSeen = seen.some((one) => `.${name.replace(/\.$/, '')}`.endsWith(`.${one.name}`));
    if (!isInSeen)
      return missing('ZONE_NOT_FOUND', `zone '${name.replace(/\.$/, '').replace('@', '\\@')}'`);
  }
  return answer;
}
