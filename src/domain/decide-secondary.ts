/** Secondary commands: register, update, forget. */
import { excerpt, Problem } from '../base/problem.ts';
import { requireEverywhere } from './access/require.ts';
import type {
  CreateSecondary,
  DeleteSecondary,
  SecondaryOutcome,
  UpdateSecondary,
} from './command.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { Secondary } from './secondary.ts';

const plainName = /^[a-z0-9._-]{1,64}$/;

/** Names of secondaries, tokens, roles and policies: trimmed, lower-cased, `a-z 0-9 . _ -`, 1..64. */
export function parsePlainName(text: string): string {
  const name = text.trim().toLowerCase();
  if (!plainName.test(name)) {
    throw new Problem(
      'INVALID_INPUT',
      `name: '${excerpt(name)}' is not 1 to 64 letters, digits, dots, underscores or hyphens`,
    );
  }
  return name;
}

const hostPort = /^(?:\[([0-9a-f:.]+(?:%[0-9a-z]+)?)\]|([^:\s[\]]+))(?::(\d{1,5}))?$/;
/** Without leading zeros: some readers take those for octal numbers. */
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Normalises `host[:port]`: lower-case, port always there (53 when left out). */
function parseServerAddress(field: string, text: string): string {
  const trimmed = text.trim().toLowerCase();
  const problem = (reason: string) =>
    new Problem('INVALID_INPUT', `${field}: '${excerpt(trimmed)}' ${reason}`);
  const bareIpv6 = trimmed.split(':').length > 2 && !trimmed.startsWith('[');
  const match = hostPort.exec(bareIpv6 ? `[${trimmed}]` : trimmed);
  if (match === null) throw problem('is not host[:port]; an IPv6 address with port is [addr]:port');
  const port = match[3] === undefined ? 53 : Number(match[3]);
  if (port < 1 || port > 65_535) throw problem('has a port outside 1..65535');
  if (match[1] !== undefined) return `[${canonicalIpv6(match[1], problem)}]:${port}`;
  const host = match[2]!.endsWith('.') ? match[2]!.slice(0, -1) : match[2]!;
  if (/^[\d.]+$/.test(host)) {
    if (!ipv4.test(host)) throw problem('is not an IPv4 address');
    return `${host}:${port}`;
  }
  const labels = host.split('.');
  if (host.length > 253 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label))) {
    throw problem('is not a host name');
  }
  return `${host}:${port}`;
}

function canonicalIpv6(text: string, problem: (reason: string) => Problem): string {
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    throw problem('is not an IPv6 address');
  }
}

function findSecondary(context: DecisionContext, name: string): Secondary {
  const normalised = name.trim().toLowerCase();
  const { rights } = context;
  const visible = rights.everywhere('secondary:read') || rights.everywhere('secondary:manage');
  const secondary = visible ? context.view.secondaryByName(normalised) : undefined;
  if (secondary === undefined) {
    throw new Problem('SECONDARY_NOT_FOUND', `secondary '${normalised}' does not exist`);
  }
  return secondary;
}

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
  const name = text.trim().toLowerCase().replace(/\.$/, '');
  if (context.view.tsigKeyByName(name) === undefined) {
    throw new Problem('TSIG_KEY_NOT_FOUND', `TSIG key '${excerpt(name)}' does not exist`);
  }
  return name;
}

export function decideCreateSecondary(
  command: CreateSecondary,
  context: DecisionContext,
): Decision<SecondaryOutcome> {
  requireEverywhere(context.rights, 'secondary:manage');
  const name = parsePlainName(command.name);
  const address = parseServerAddress('address', command.address);
  if (context.view.secondaryByName(name) !== undefined) {
    throw new Problem('SECONDARY_CONFLICT', `secondary '${name}' already exists`);
  }
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

export function decideUpdateSecondary(
  command: UpdateSecondary,
  context: DecisionContext,
): Decision<SecondaryOutcome> {
  const before = findSecondary(context, command.name);
  requireEverywhere(context.rights, 'secondary:manage');
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
  const same =
    secondary.address === before.address &&
    secondary.enabled === before.enabled &&
    secondary.notifyKeyName === before.notifyKeyName;
  const outcome: SecondaryOutcome = { secondary };
  if (same) return { event: undefined, outcome };
  return { event: { kind: 'secondary.updated', before, secondary }, outcome };
}

export function decideDeleteSecondary(
  command: DeleteSecondary,
  context: DecisionContext,
): Decision<SecondaryOutcome> {
  const secondary = findSecondary(context, command.name);
  requireEverywhere(context.rights, 'secondary:manage');
  return { event: { kind: 'secondary.forgotten', secondary }, outcome: { secondary } };
}
