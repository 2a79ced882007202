/** Every command, in the order in which help shows them. */
import type { Command, Group } from '../command.ts';
import { configCheck } from './config/check.ts';
import { configShow } from './config/show.ts';
import { journalLog } from './journal/log.ts';
import { journalRebuild } from './journal/rebuild.ts';
import { journalVerify } from './journal/verify.ts';
import { recordBulk } from './record/bulk.ts';
import { recordCreate } from './record/create.ts';
import { recordDelete } from './record/delete.ts';
import { recordGet } from './record/get.ts';
import { recordList } from './record/list.ts';
import { recordUpdate } from './record/update.ts';
import { secondaryCreate } from './secondary/create.ts';
import { secondaryDelete } from './secondary/delete.ts';
import { secondaryGet } from './secondary/get.ts';
import { secondaryList } from './secondary/list.ts';
import { secondaryUpdate } from './secondary/update.ts';
import { openapi } from './service/openapi.ts';
import { serve } from './service/serve.ts';
import { status } from './service/status.ts';
import { zoneCreate } from './zone/create.ts';
import { zoneDelete } from './zone/delete.ts';
import { zoneGet } from './zone/get.ts';
import { zoneList } from './zone/list.ts';
import { zoneNotify } from './zone/notify.ts';
import { zoneUpdate } from './zone/update.ts';

export const commands: readonly Command[] = [serve, status, openapi];

export const groups: readonly Group[] = [
  {
    name: 'zone',
    summary: 'Zones: their SOA and what belongs to it',
    commands: [zoneCreate, zoneList, zoneGet, zoneUpdate, zoneDelete, zoneNotify],
  },
  {
    name: 'record',
    summary: 'Records of zones',
    commands: [recordCreate, recordList, recordGet, recordUpdate, recordDelete, recordBulk],
  },
  {
    name: 'secondary',
    summary: 'Servers that are told of changes and may transfer zones',
    commands: [secondaryCreate, secondaryList, secondaryGet, secondaryUpdate, secondaryDelete],
  },
  {
    name: 'journal',
    summary: 'The journal on this host, whether the service runs or not',
    commands: [journalVerify, journalRebuild, journalLog],
  },
  {
    name: 'config',
    summary: 'The configuration on this host',
    commands: [configCheck, configShow],
  },
];
