/** Why somebody may do something: for who manages access, and for each token about itself. */
import type { Action } from '../../base/action.ts';
import { formatTime } from '../../base/clock.ts';
import { emptyName, type NameKey, parentOf, printLabels, relativeTo } from '../../dns/name.ts';
import {
  allowingGrant,
  allows,
  checkQuestion,
  type NeededGrant,
  neededGrant,
  printQuestion,
} from '../../domain/access/explain.ts';
import type { AccessQuestion } from '../../domain/access/explain.ts';
import {
  findSeen,
  requireNamed,
  seesAccess,
  tokens,
  tsigKeys,
} from '../../domain/access/visibility.ts';
import { parseOwner } from '../../domain/record.ts';
import { apexOf, noZone, type Zone } from '../../domain/zone.ts';
import type { ListedGrant } from '../../query/access-queries.ts';
import type { Actor } from '../../writer/submission.ts';
import { ViewPart, ZoneView } from './zones.ts';

/** A question as a request has it. */
export interface RawQuestion {
  readonly token?: string | undefined;
  readonly tsig_key?: string | undefined;
  readonly action: Action;
  readonly zone?: string | undefined;
  readonly name?: string | undefined;
  readonly type: number | undefined;
}

interface Subject {
  readonly kind: 'token' | 'tsig_key';
  readonly name: string;
  readonly roleId: number;
  readonly roleName: string;
  readonly expiresAt: number | null;
}

export interface Explanation {
  readonly allowed: boolean;
  readonly message: string;
  readonly subject: Subject | null;
  readonly seesZone: boolean | null;
  readonly reasonRequired: boolean;
  readonly grant: ListedGrant | null;
  readonly needed: NeededGrant | null;
}

export class ExplainView extends ViewPart {
  readonly #zones = new ZoneView(this.stored, this.rights);

  explain(raw: RawQuestion, actor: Actor | null, nowMs: number): Explanation {
    const subject = this.#subjectOf(raw, actor);
    const question = this.#questionOf(raw);
    checkQuestion(question);
    const rights = subject === null ? this.rights : this.stored.rights.ofRole(subject.roleId);
    const { zone } = question;
    const about = {
      subject,
      seesZone: zone === undefined ? null : rights.sees(zone.id),
      reasonRequired: rights.reasonRequired,
      grant: null,
      needed: null,
    };
    const asked = printQuestion(question);
    if (subject !== null && subject.expiresAt !== null && subject.expiresAt <= nowMs) {
      const message = `refused: token '${subject.name}' expired at ${formatTime(subject.expiresAt)}`;
      return { ...about, allowed: false, message };
    }
    const allowed = allows(rights, question);
    if (subject === null) return { ...about, allowed, message: 'allowed: full access' };
    const role = `role '${subject.roleName}'`;
    if (!allowed) {
      const message = `refused: ${role} has no grant of ${asked}`;
      return { ...about, allowed, message, needed: neededGrant(question) };
    }
    if (rights.isFull) return { ...about, allowed, message: `allowed: ${role} has full access` };
    const grant = allowingGrant(this.stored.access.grantsOf(subject.roleId), question)!;
    const zoneName = grant.zoneId === null ? null : (zone?.name ?? null);
    return {
      ...about,
      allowed,
      message: `allowed: grant ${grant.id} of ${role} is of ${asked}`,
      grant: { ...grant, roleName: subject.roleName, zoneName },
    };
  }

  /** Null for a call without a token, about itself. */
  #subjectOf({ token, tsig_key: key }: RawQuestion, actor: Actor | null): Subject | null {
    const { access } = this.stored;
    if (key !== undefined) {
      const found = findSeen(tsigKeys, this.rights, key, (name) => access.listedTsigKey(name));
      return { ...found, kind: 'tsig_key', expiresAt: null };
    }
    if (token === undefined && actor === null) return null;
    const found = requireNamed(tokens, token ?? actor!.name, (name) => {
      const isOwn = actor?.kind === 'token' && actor.name === name;
      const isManager = seesAccess(this.rights);
      const id = isOwn ? actor.id : isManager ? access.tokenByName(name)?.id : undefined;
      return id === undefined ? undefined : access.listedToken(id);
    });
    return { ...found, kind: 'token' };
  }

  #questionOf({ action, zone: zoneName, name, type }: RawQuestion): AccessQuestion {
    if (name === undefined || name.trim() === '') {
      const zone = zoneName === undefined ? undefined : this.#zones.get(zoneName);
      return { action, zone, owner: undefined, type };
    }
    if (zoneName !== undefined) {
      const zone = this.#zones.get(zoneName);
      return { action, zone, owner: parseOwner(name, apexOf(zone)), type };
    }
    const absolute = parseOwner(`${name.trim().replace(/\.$/, '')}.`, emptyName);
    const zone = this.#enclosing(absolute);
    return { action, zone, owner: relativeTo(absolute, apexOf(zone)), type };
  }

  /** The deepest zone that the caller sees and that an absolute name is in. */
  #enclosing(name: NameKey): Zone {
    for (let at: NameKey | undefined = name; at; at = parentOf(at)) {
      const zone = this.#zones.ifThere(printLabels(at));
      if (zone !== undefined) return zone;
    }
    throw noZone(printLabels(name));
  }
}
