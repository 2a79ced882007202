/**
 * Dynamic updates (RFC 2136 3): who asks, what the message says, and how the writer's answer becomes an RCODE. Nothing
 * is forwarded.
 *
 * ```
 *   a zone that is not served              NOTAUTH, whatever else there is to say
 *   unsigned while signing is required     REFUSED
 *   signed, and answered before            the answer of then, without doing anything
 *   signed too early to tell that          NOTAUTH with BADTIME (update-replay.ts)
 *   too many records                       REFUSED
 *   not granted                            REFUSED
 *   prerequisites                          NXDOMAIN, YXDOMAIN, NXRRSET, YXRRSET
 *   malformed, other zone                  FORMERR, NOTZONE
 *   against a rule                         REFUSED
 *   overloaded, or a failure of ours       SERVFAIL; the same message may be sent again
 * ```
 * A malformed prerequisite comes before those behind it. Answers go out after the commit (RFC 2136 3.5), and
 * where that is asked for when the secondaries serve what it did; signed when the update was. What is REFUSED, FORMERR
 * or NOTZONE, or meets a disk that fails, says why to those who speak EDNS.
 */
import type { Clock } from '../base/clock.ts';
import { Memory } from '../base/memory.ts';
import { Problem } from '../base/problem.ts';
import { judgeError } from '../base/storage-problem.ts';
import { type NameKey, printLabels } from '../dns/name.ts';
import { rcode, rcodeName } from '../dns/wire/header.ts';
import type { EdnsOption } from '../dns/wire/message.ts';
import type { DynamicUpdate, UpdateErrorCode, UpdateOutcome } from '../domain/dynamic-update.ts';
import type { Zone } from '../domain/zone.ts';
import type { SubmitOptions } from '../writer/submission.ts';
import type { Log } from '../telemetry/log.ts';
import type { UpdateResult } from '../telemetry/metrics.ts';
import { nameserverLimits } from './limits.ts';
import { MinuteLimit } from './rate-limit.ts';
import { explanations, type ReplyFields, shortReply } from './reply.ts';
import type { Request, VerifiedKey } from './request.ts';
import { excessOf, readUpdate } from './update-message.ts';
import { AnsweredUpdates, signedMessage } from './update-replay.ts';

export interface UpdateServices {
  readonly writer: {
    submit(command: DynamicUpdate, options: SubmitOptions): Promise<UpdateOutcome>;
  };
  readonly log: Log;
  readonly clock: Clock;
  /** What the journal names as the requests of updates since a time, the last first. */
  readonly appliedSince: (sinceMs: number) => Iterable<string>;
  /** Whether updates without signature are refused; else they may do everything. */
  readonly tsigRequired: boolean;
  /**
   * Resolves when every secondary serves the zone as it is, or the time for that is over; never rejects. Left out,
   * answers wait for the commit alone.
   */
  readonly reached?: ((zone: Zone) => Promise<void>) | undefined;
}

/** The answer to an update, and a clause for the log when there was something to say against it. */
interface Outcome extends ReplyFields {
  readonly reason?: string;
  /** True when the TSIG of the answer says BADTIME. */
  readonly isBadTime?: boolean;
}

/** An answer that says why to the client, too. */
function refused(
  code: 'REFUSED' | UpdateErrorCode,
  reason: string,
  explanation?: EdnsOption,
): Outcome {
  return { rcode: rcode[code], reason, rejection: reason, explanation };
}

const applied: Outcome = { rcode: rcode.NOERROR };

const notServed: Outcome = {
  rcode: rcode.NOTAUTH,
  explanation: explanations.notAuthoritative,
  reason: 'the zone is not served',
};

const late: Outcome = {
  rcode: rcode.NOTAUTH,
  isBadTime: true,
  reason: 'BADTIME: signed so early that it may have been answered before: sign it anew',
};

const unsigned = refused('REFUSED', 'updates have to be signed', explanations.prohibited);

/** Zones whose names are kept as text: updates come in rows for few. */
const keptNames = 100;

/**
 * `isServed` tells about the zone for the updates that are answered before the writer is asked, which finds the zone by
 * itself.
 */
type IsServed = () => boolean;

export class UpdateHandler {
  readonly #services: UpdateServices;
  readonly #answered: AnsweredUpdates<Outcome | Promise<Outcome>>;
  readonly #loggedRefused = new MinuteLimit(nameserverLimits.loggedRefusedUpdatesPerMinute);
  readonly #names = new Memory<NameKey, string>(keptNames);

  constructor(services: UpdateServices) {
    this.#services = services;
    this.#answered = new AnsweredUpdates(services.clock);
    this.#answered.restore(services.appliedSince, applied);
  }

  /** Applies an update and makes its answer. */
  answer(request: Request, isServed: IsServed): Buffer | Promise<Buffer> {
    const outcome = this.#judge(request, isServed);
    return outcome instanceof Promise
      ? outcome.then((later) => replyOf(request, later))
      : replyOf(request, outcome);
  }

  #judge(request: Request, isServed: IsServed): Outcome | Promise<Outcome> {
    const { signedBy } = request;
    if (signedBy !== undefined) return this.#applyOnce(request, signedBy, isServed);
    if (!this.#services.tsigRequired) return this.#apply(request, null, isServed);
    return this.#logged(request, isServed() ? unsigned : notServed);
  }

  /** Applies a signed update, unless that was done before or is being done. */
  #applyOnce(request: Request, key: VerifiedKey, isServed: IsServed): Outcome | Promise<Outcome> {
    const answered = this.#answered;
    const message = signedMessage(key);
    const known = answered.recall(message);
    if (known !== undefined) return known;
    if (answered.isLate(message)) return this.#logged(request, isServed() ? late : notServed);
    const keep = (outcome: Outcome): Outcome => {
      if (outcome.rcode === rcode.SERVFAIL) answered.forget(message);
      else answered.keep(message, outcome);
      return outcome;
    };
    const outcome = this.#apply(request, message.identity, isServed);
    if (!(outcome instanceof Promise)) return keep(outcome);
    const kept = outcome.then(keep, (error) => {
      answered.forget(message);
      throw error;
    });
    answered.keep(message, kept);
    return kept;
  }

  #apply(
    request: Request,
    identity: string | null,
    isServed: IsServed,
  ): Outcome | Promise<Outcome> {
    const apex = request.question.name;
    const excess = excessOf(request.message);
    if (excess !== undefined) {
      return this.#logged(request, isServed() ? refused('REFUSED', excess) : notServed);
    }
    const { messageError, prerequisites, operations } = readUpdate(request.message, apex);
    const command: DynamicUpdate = {
      kind: 'dynamic-update',
      zoneName: this.#textOf(apex),
      prerequisites,
      operations,
      ...(messageError && { messageError: messageError.rcode }),
    };
    const { writer, reached } = this.#services;
    return writer.submit(command, submitOptions(request, identity)).then(
      ({ rcode: outcome, zone }) => {
        if (outcome === 'NOERROR') {
          const answer = this.#logged(request, applied);
          return reached === undefined ? answer : reached(zone).then(() => answer);
        }
        const isMalformed = outcome === messageError?.rcode;
        return this.#logged(
          request,
          isMalformed ? refused(outcome, messageError.message) : { rcode: rcode[outcome] },
        );
      },
      (error) => this.#logged(request, outcomeOf(error)),
    );
  }

  #logged(request: Request, outcome: Outcome): Outcome {
    const { log, clock } = this.#services;
    const { reason } = outcome;
    if (reason === undefined && !log.writes('info')) return outcome;
    const { client, question, signedBy } = request;
    const fields = {
      zone: this.#textOf(question.name),
      key: signedBy?.name ?? null,
      client: client.address,
      transport: client.transport,
      rcode: rcodeName(outcome.rcode),
    };
    if (reason === undefined) {
      log.info('dns.update', fields);
    } else if (this.#loggedRefused.take(clock())) {
      log.warn('dns.update-refused', { ...fields, reason });
    }
    return outcome;
  }

  #textOf(apex: NameKey): string {
    return this.#names.of(apex, printLabels);
  }
}

function replyOf(request: Request, said: Outcome): Buffer {
  const { signedBy } = request;
  if (said.isBadTime !== true || signedBy === undefined) return shortReply(request, said);
  return shortReply({ ...request, signer: signedBy.badTimeSigner() }, said);
}

function submitOptions({ signedBy }: Request, requestId: string | null): SubmitOptions {
  const actor = signedBy && { kind: 'tsig_key' as const, id: signedBy.id, name: signedBy.name };
  return { source: 'nsupdate', actor: actor ?? null, requestId, dryRun: false };
}

const reasonRequired =
  'the role of this key gives a reason for every write, and an UPDATE has no place for one';

/** The RCODE of what went wrong; what is no expected failure is thrown on. */
function outcomeOf(thrown: unknown): Outcome {
  const error = judgeError(thrown);
  if (!(error instanceof Problem)) throw error;
  const reason = error.message;
  switch (error.code) {
    case 'FORBIDDEN':
      return refused('REFUSED', reason, explanations.prohibited);
    case 'REASON_REQUIRED':
      return refused('REFUSED', reasonRequired, explanations.prohibited);
    case 'ZONE_NOT_FOUND':
      return { rcode: rcode.NOTAUTH, explanation: explanations.notAuthoritative, reason };
    case 'INVALID_RECORD_NAME':
    case 'INVALID_RECORD_VALUE':
    case 'INVALID_ZONE_FIELD':
    case 'RECORD_CONFLICT':
    case 'ZONE_CONFLICT':
    case 'GUARDED':
      return refused('REFUSED', reason);
    case 'STORAGE_UNAVAILABLE':
      return { rcode: rcode.SERVFAIL, reason, rejection: reason };
    default:
      return { rcode: rcode.SERVFAIL, reason };
  }
}

const resultOfRcode = new Map<number, UpdateResult>([
  [rcode.NOERROR, 'ok'],
  [rcode.NXDOMAIN, 'prerequisite'],
  [rcode.YXDOMAIN, 'prerequisite'],
  [rcode.NXRRSET, 'prerequisite'],
  [rcode.YXRRSET, 'prerequisite'],
  [rcode.REFUSED, 'refused'],
  [rcode.NOTAUTH, 'notauth'],
  [rcode.FORMERR, 'malformed'],
  [rcode.NOTZONE, 'malformed'],
  [rcode.BADVERS, 'malformed'],
]);

/** What an update counts as, by the RCODE of its answer. */
export function updateResultOf(code: number): UpdateResult {
  return resultOfRcode.get(code) ?? 'failed';
}
