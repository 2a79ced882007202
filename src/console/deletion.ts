/** The deletion of a zone: it takes all that the zone has, so that its name has to be typed. */
import { type Zone, zonePath } from './api.ts';
import type { Write } from './write.ts';

/** `leadsTo` is where to go from a screen of the zone itself. */
export function deletionOf({ name }: Pick<Zone, 'name'>, leadsTo?: string): Write {
  return {
    title: `Delete zone ${name}`,
    button: 'Delete zone',
    method: 'DELETE',
    path: zonePath(name),
    zone: name,
    note: 'It is not answered for any more, and goes into the bin with its history, from where it can be restored.',
    confirm: name,
    ...(leadsTo !== undefined && { leadsTo }),
  };
}
