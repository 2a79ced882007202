/** Moments of a zone that somebody may mean, offered where one is typed: tags, late secondaries, the last versions. */
import {
  get,
  type Listed,
  type Tag,
  type VersionFacts,
  type Zone,
  type ZoneStatus,
  zonePath,
} from '../api.ts';
import { deletedId } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { absolute } from '../moment.ts';
import { actorText } from '../words.ts';
import { visible } from './text.tsx';

/** Of tags and of versions. */
const offered = 20;

interface MomentsProps {
  readonly zone: Zone;
  /** Of the list, for the fields that offer it. */
  readonly id: string;
}

export function Moments({ zone, id }: MomentsProps) {
  const load = <Answer,>(below: string, query = {}, deleted = false) =>
    useLoaded<Answer | undefined>(
      async (signal) =>
        deletedId.value === undefined || deleted
          ? get<Answer>(zonePath(zone.name, below), query, signal)
          : undefined,
      [zone.name, zone.serial],
    ).value;
  const tags = load<Listed<Tag>>('/tags', { limit: offered });
  const status = load<ZoneStatus>('/status');
  const listed = { limit: offered, deleted_id: deletedId.value };
  const versions = load<Listed<VersionFacts>>('/versions', listed, true);
  return (
    <datalist id={id}>
      {tags?.items.map(({ name, serial }) => (
        <option key={name} value={`tag:${name}`}>
          {`tag ${visible(name)}, serial ${serial}`}
        </option>
      ))}
      {status?.secondaries.flatMap(({ address, visible_serial: serial }) =>
        serial === null
          ? []
          : [
              <option key={address} value={String(serial)}>
                {`as ${address} has it`}
              </option>,
            ],
      )}
      {versions?.items.map((version) => (
        <option key={version.serial} value={String(version.serial)}>
          {`${absolute(version.created_at)}, ${visible(
            actorText({ actor: version.actor, source: version.change_source }),
          )}`}
        </option>
      ))}
    </datalist>
  );
}
