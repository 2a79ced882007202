/** Secondary commands: register, update, forget. */
import { isDeepStrictEqual } from 'node:util';
import { readFields } from '../base/item-errors.ts';
import { Problem } from '../base/problem.ts';
import { requireEverywhere } from './access/require.ts';
import {
  findManaged,
  type Named,
  refuseTaken,
  requireNamed,
  secondaries,
  tsigKeys,
} from './access/visibility.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { parseIdentifier } from './identifier.ts';
import type { Secondary } from './secondary.ts';
import { parseServerAddress } from './server-address.ts';

interface CreateSecondary extends Named {
  readonly address: string;
  readonly notifyKeyName?: string | undefined;
}

interface UpdateSecondary extends Named {
  readonly address?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** The empty string sends unsigned again. */
  readonly notifyKeyName?: string | undefined;
}

interface SecondaryOutcome {
  readonly secondary: Secondary;
}

type Decided = Decision<SecondaryOutcome>;

function refuseTakenAddress(context: DecisionContext, address: string): void {
  const other = context.view.secondaryByAddress(address);
  if (other !== undefined) {
    throw new Problem(
      'SECONDARY_CONFLICT',
      `address ${address} is registered already, as secondary '${other.name}'`,
    );
  }
}

/** The name of a stored key, or null for unsigned. */
function parseKeyName(context: DecisionContext, text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  return requireNamed(tsigKeys, text, (name) => context.view.tsigKeyByName(name)).name;
}

function decideCreateSecondary(command: CreateSecondary, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'secondary:manage');
  const { name, address } = readFields({
    name: () => parseIdentifier(command.name),
    address: () => parseServerAddress('address', command.address),
  });
  refuseTaken(secondaries, context, name);
  refuseTakenAddress(context, address);
  const secondary: Secondary = {
    id: context.allocateId('secondary'),
    name,
    address,
    enabled: true,
    notifyKeyName: parseKeyName(context, command.notifyKeyName),
    createdAt: context.now,
  };
  return { event: { kind: 'secondary.registered', secondary }, outcome: { secondary } };
}

function decideUpdateSecondary(command: UpdateSecondary, context: DecisionContext): Decided {
  const before = findManaged(secondaries, context, command);
  const given = [command.address, command.enabled, command.notifyKeyName];
  if (given.every((value) => value === undefined)) {
    throw new Problem('INVALID_INPUT', `nothing to change in secondary '${before.name}'`);
  }
  const address =
    command.address === undefined ? before.address : parseServerAddress('address', command.address);
  if (address !== before.address) refuseTakenAddress(context, address);
  const secondary: Secondary = {
    ...before,
    address,
    enabled: command.enabled ?? before.enabled,
    notifyKeyName:
      command.notifyKeyName === undefined
        ? before.notifyKeyName
        : parseKeyName(context, command.notifyKeyName),
  };
  if (isDeepStrictEqual(secondary, before)) return { event: undefined, outcome: { secondary } };
  return { event: { kind: 'secondary.updated', before, secondary }, outcome: { secondary } };
}

function decideDeleteSecondary(command: Named, context: DecisionContext): Decided {
  const secondary = findManaged(secondaries, context, command);
  return { event: { kind: 'secondary.forgotten', secondary }, outcome: { secondary } };
}

export const secondaryDecisions = {
  'create-secondary': decideCreateSecondary,
  'update-secondary': decideUpdateSecondary,
  'delete-secondary': decideDeleteSecondary,
};
