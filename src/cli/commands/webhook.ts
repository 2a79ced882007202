/** `webhook`: addresses that events are posted to. */
import type { Webhook, WebhookCreation, WebhookTest } from '../answers.ts';
import type { Group } from '../command.ts';
import { passOn } from '../from-contract.ts';
import { resource } from '../resource.ts';

const webhook = resource<Webhook, Partial<Pick<WebhookCreation, 'secret'>>>({
  path: '/webhooks',
  key: 'webhook',
  none: 'no webhooks',
  columns: ['name', 'url', 'format', 'state', 'delivered_seq', 'behind', 'error'],
  fields: [
    'name',
    'id',
    'url',
    'format',
    ['filter', ({ filter }) => JSON.stringify(filter)],
    'state',
    'created_at',
    'delivered_seq',
    'behind',
    'failing_since',
    'error',
    'deliveries',
    'failures',
    'secret',
  ],
});

export const webhooks: Group = {
  name: 'webhook',
  summary: 'Addresses that events are posted to',
  commands: [
    webhook.create({
      summary: 'Create a webhook: events are posted to its URL',
      notes: 'The secret that signs deliveries is printed this once.',
      examples: [
        ['$0 chat --url https://hooks.example.net/zones', 'every event from now on'],
        [
          `$0 shop --url https://hooks.example.net --filter '{"zone": "example.com"}'`,
          'those of one zone',
        ],
      ],
    }),
    webhook.list({ examples: [['$0', 'every webhook and how far it got']] }),
    webhook.get({
      summary: 'Show a webhook and how far it got',
      examples: [['$0 chat', 'what is wrong with it']],
    }),
    webhook.update({
      summary: 'Change a webhook, and wake a suspended one; what is not named stays',
      examples: [['$0 chat --url https://hooks.example.net/moved', 'its receiver has moved']],
    }),
    webhook.delete({ examples: [['$0 chat', 'nothing is posted any more']] }),
    passOn<WebhookTest>({
      usage: 'test <name>',
      route: 'testWebhook',
      summary: 'Post a test message to a webhook',
      examples: [['$0 chat', 'does its receiver accept what we sign']],
      show({ delivered, status, error, duration_ms }, output) {
        return output.fields([
          ['delivered', delivered],
          ['status', status],
          ['error', error],
          ['milliseconds', duration_ms],
        ]);
      },
    }),
    passOn<{ webhook: Webhook }>({
      usage: 'replay <name>',
      route: 'replayWebhook',
      summary: 'Send events again from one on, and wake a suspended webhook',
      examples: [['$0 chat --from-seq 100', 'event 100 and all later ones']],
      show: webhook.after('replayed'),
    }),
  ],
};
