import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { send } from '../../spec/support/http-door.ts';
import { createApp } from './app.ts';

describe('secondaries', () => {
  it('pass the empty key name on', async () => {
    const services = fakeServices();
    await send(createApp(services), 'PUT', '/secondaries/ns2', { notify_key_name: '' });
    expect(services.submitted[0]!.command).toMatchObject({ name: 'ns2', notifyKeyName: '' });
  });
});
