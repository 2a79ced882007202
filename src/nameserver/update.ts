/**
 * Dynamic updates at the door (RFC 2136 3; decisions 9): who asks, what the message says, and how the
 * law's answer becomes an RCODE. Nothing is forwarded.
 *
 * ```
 *   a zone that is not served              NOTAUTH, whatever else there is to say
 *   unsigned while signing is required     REFUSED
 *   signed, and answered before            the answer of then, without doing anything
 *   too many records                       REFUSED
 *   not granted                            REFUSED
 *   prerequisites                          NXDOMAIN, YXDOMAIN, NXRRSET, YXRRSET
 *   malformed, other zone                  FORMERR, NOTZONE
 *   against a rule                         REFUSED
 *   overloaded, or a failure of ours       SERVFAIL; the same message may be sent again
 * ```
 * A malformed prerequisite comes before those behind it. Answers go out after the commit (RFC 2136 3.5), signed
 * when the update was; what is REFUSED, FORMERR or NOTZONE, or meets a disk that fails, says why to those who speak EDNS.
 */
import type { Clock } from '../base/clock.ts';
import { Memory } from '../base/memory.ts';
import { Problem } from '../base/problem.ts';
import { judgeError } from '../base/storage-fault.ts';
import { type NameKey, printLabels } from '../dns/name.ts';
import { rcode, rcodeName } from '../dns/wire/header.ts';
import type { EdnsOption } from '../dns/wire/message.ts';
import type { DynamicUpdate, UpdateFaultCode, UpdateOutcome } from '../domain/dynamic-update.ts';
import type { SubmitOptions } from '../engine/submission.ts';
import type { Log } from '../telemetry/log.ts';
import { nameserverLimits } from './limits.ts';
import { Pace } from './pace.ts';
import { explanations, type ReplyFields, type ReplyOptions, shortReply } from './reply.ts';
import type { Request, VerifiedKey } from './request.ts';
import { excessOf, readUpdate } from './update-message.ts';
import { AnsweredUpdates, identityOf } from './update-replay.ts';

export interface UpdateServices {
  readonly engine: {
    submit(command: DynamicUpdate, options: SubmitOptions): Promise<UpdateOutcome>;
  };
  readonly log: Log;
  readonly clock: Clock;
  /** What the journal names as the requests of updates since a time, the last first. */
  readonly appliedSince: (sinceMs: number) => Iterable<string>;
}

export interface UpdateOptions extends ReplyOptions {
  /** Whether updates without signature are refused; else they may do everything. */
  readonly tsigRequired: boolean;
}

/**
 * Applies an update and makes its answer. The law finds the zone by itself; `isServed` tells about it
 * for the updates that never come so far.
 */
export type UpdateHandler = (request: Request, isServed: () => boolean) => Buffer | Promise<Buffer>;

/** The answer to an update, and a clause for the log when there was something to say against it. */
interface Verdict extends ReplyFields {
  readonly reason?: string;
}

/** An answer that says why to the client, too. */
function refused(
  code: 'REFUSED' | UpdateFaultCode,
  reason: string,
  explanation?: EdnsOption,
): Verdict {
  return { rcode: rcode[code], reason, refusal: reason, ...(explanation && { explanation }) };
}

const applied: Verdict = { rcode: rcode.NOERROR };

const notServed: Verdict = {
  rcode: rcode.NOTAUTH,
  explanation: explanations.notAuthoritative,
  reason: 'the zone is not served',
};

const unsigned = refused('REFUSED', 'updates have to be signed', explanations.prohibited);

export function createUpdateHandler(
  services: UpdateServices,
  options: UpdateOptions,
): UpdateHandler {
  const { engine, log, clock, appliedSince } = services;
  const answered = new AnsweredUpdates<Verdict | Promise<Verdict>>(clock);
  answered.restore(appliedSince, applied);
  const loggedRefusals = new Pace(nameserverLimits.loggedUpdateRefusalsPerMinute);

  /** Updates come in rows for few zones. */
  const names = new Memory<NameKey, string>(100);
  const textOf = (apex: NameKey) => names.of(apex, printLabels);

  function apply(
    request: Request,
    identity: string | null,
    isServed: () => boolean,
  ): Verdict | Promise<Verdict> {
    const apex = request.question.name;
    const told = (verdict: Verdict): Verdict => {
      tell(request, verdict);
      return verdict;
    };
    const excess = excessOf(request.message!);
    if (excess !== undefined) return told(isServed() ? refused('REFUSED', excess) : notServed);
    const { fault, prerequisites, steps } = readUpdate(request.message!, apex);
    const command: DynamicUpdate = {
      kind: 'dynamic-update',
      zoneName: textOf(apex),
      prerequisites,
      steps,
      ...(fault && { fault: fault.rcode }),
    };
    return engine.submit(command, submitOptions(request, identity)).then(
      ({ verdict }) => {
        if (verdict === 'NOERROR') return told(applied);
        const isFault = verdict === fault?.rcode;
        return told(isFault ? refused(verdict, fault.message) : { rcode: rcode[verdict] });
      },
      (error) => told(verdictOf(error)),
    );
  }

  function tell({ client, question, signedBy }: Request, { rcode: code, reason }: Verdict): void {
    const isRefused = reason !== undefined;
    if (!isRefused && !log.writes('info')) return;
    const fields = {
      zone: textOf(question.name),
      key: signedBy?.name ?? null,
      client: client.address,
      transport: client.transport,
      rcode: rcodeName(code),
    };
    if (!isRefused) log.info('dns.update', fields);
    else if (loggedRefusals.take(clock())) log.warn('dns.update-refused', { ...fields, reason });
  }

  /** Applies a signed update, unless that was done before or is being done. */
  function applyOnce(
    request: Request,
    key: VerifiedKey,
    isServed: () => boolean,
  ): Verdict | Promise<Verdict> {
    const known = answered.recall(key);
    if (known !== undefined) return known;
    const settle = (verdict: Verdict): Verdict => {
      if (verdict.rcode === rcode.SERVFAIL) answered.forget(key);
      else answered.keep(key, verdict);
      return verdict;
    };
    const verdict = apply(request, identityOf(key), isServed);
    if (!(verdict instanceof Promise)) return settle(verdict);
    const settled = verdict.then(settle, (error) => {
      answered.forget(key);
      throw error;
    });
    answered.keep(key, settled);
    return settled;
  }

  function refuseUnsigned(request: Request, isServed: () => boolean): Verdict {
    const verdict = isServed() ? unsigned : notServed;
    tell(request, verdict);
    return verdict;
  }

  function verdictOn(request: Request, isServed: () => boolean): Verdict | Promise<Verdict> {
    const { signedBy } = request;
    if (signedBy !== undefined) return applyOnce(request, signedBy, isServed);
    return options.tsigRequired
      ? refuseUnsigned(request, isServed)
      : apply(request, null, isServed);
  }

  return (request, isServed) => {
    const verdict = verdictOn(request, isServed);
    return verdict instanceof Promise
      ? verdict.then((later) => shortReply(request, later, options))
      : shortReply(request, verdict, options);
  };
}

function submitOptions({ signedBy }: Request, requestId: string | null): SubmitOptions {
  const actor = signedBy && { kind: 'tsig_key' as const, id: signedBy.id, name: signedBy.name };
  return { source: 'nsupdate', actor: actor ?? null, requestId, dryRun: false };
}

/** The RCODE of what went wrong; what is no expected failure is thrown on. */
function verdictOf(thrown: unknown): Verdict {
  const error = judgeError(thrown);
  if (!(error instanceof Problem)) throw error;
  const reason = error.message;
  switch (error.code) {
    case 'FORBIDDEN':
      return refused('REFUSED', reason, explanations.prohibited);
    case 'ZONE_NOT_FOUND':
      return { rcode: rcode.NOTAUTH, explanation: explanations.notAuthoritative, reason };
    case 'INVALID_RECORD_NAME':
    case 'INVALID_RECORD_VALUE':
    case 'INVALID_ZONE_FIELD':
    case 'RECORD_CONFLICT':
    case 'ZONE_CONFLICT':
      return refused('REFUSED', reason);
    case 'STORAGE_UNAVAILABLE':
      return { rcode: rcode.SERVFAIL, reason, refusal: reason };
    default:
      return { rcode: rcode.SERVFAIL, reason };
  }
}
