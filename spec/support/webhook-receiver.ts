/** A receiver of webhooks that a test can have fail. It judges each signature by a reckoning of its own. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { patienceMs } from './patience.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
}

/** Status of the answer to the next delivery; `cut` closes the connection after the body was read. */
export type Behaviour = number | 'cut';

export class WebhookReceiver {
  readonly received: Received[] = [];
  behave: (count: number) => Behaviour | Promise<Behaviour> = () => 204;
  readonly connections = new Set<object>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.connections.add(socket));
    server.on('request', async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const behaviour = await this.behave(this.received.length);
      const status = behaviour === 'cut' ? 0 : behaviour;
      this.received.push({ headers: request.headers, body, status });
      if (behaviour === 'cut') request.socket.destroy();
      else response.writeHead(behaviour).end();
    });
  }

  static async start(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook?of=test`;
  }

  /** Numbers of the events that were accepted, in the order in which they came. */
  get accepted(): number[] {
    const fine = this.received.filter(({ status }) => status === 204);
    return fine.map(({ body }) => JSON.parse(body).seq as number);
  }

  /** Waits until something is so. */
  async until(isSo: () => boolean | Promise<boolean>, withinMs = patienceMs): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!(await isSo())) {
      if (performance.now() > deadline) {
        throw new Error(`it did not become so; accepted: ${this.accepted.join()}`);
      }
      await delay(20);
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The signature that Standard Webhooks 1.0 asks for, by the secret as it was shown. */
export function signatureOf(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
