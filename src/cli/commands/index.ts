/** Every command, in the order in which help shows them. */
import type { Command, Group } from '../command.ts';
import { backup, restore } from './backup.ts';
import { change } from './change.ts';
import { completion } from './completion.ts';
import { config } from './config.ts';
import { contexts } from './context.ts';
import { openConsole, sessions } from './console.ts';
import { dnssec } from './dnssec.ts';
import { dnssecPolicies } from './dnssec-policy.ts';
import { doctor, externalDns, openapi, serve, status } from './service.ts';
import { journal } from './journal.ts';
import { events } from './events.ts';
import { records } from './record.ts';
import { roles } from './role.ts';
import { webhooks } from './webhook.ts';
import { search } from './search.ts';
import { secondaries } from './secondary.ts';
import { tokens } from './token.ts';
import { tsigKeys } from './tsig-key.ts';
import { undo } from './undo.ts';
import { zones } from './zone.ts';

export const commands: readonly Command[] = [
  serve,
  externalDns,
  status,
  doctor,
  search,
  events,
  undo,
  change,
  backup,
  restore,
  openConsole,
  openapi,
  completion,
];

export const groups: readonly Group[] = [
  zones,
  records,
  secondaries,
  webhooks,
  roles,
  tokens,
  tsigKeys,
  sessions,
  dnssec,
  dnssecPolicies,
  journal,
  config,
  contexts,
];
