/**
 * What tests of the adapter share: a service in this process, behind a socket that can be made to fail, and
 * an adapter in front of it.
 */
import { createServer, type Server } from 'node:http';
import { type Adapter, startAdapter } from '../../src/externaldns/adapter.ts';
import { adapterSettings } from '../../src/externaldns/settings.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { InProcessService } from './in-process.ts';

/** How the service fails before it looks at a request. */
export type Fault =
  | { readonly kind: 'silent' }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'answers'; readonly status: number; readonly body: string }
  /** It answers so many requests more, and is busy then. */
  | { readonly kind: 'tires'; answers: number }
  /** It answers so whatever has these words in its body, and is itself otherwise. */
  | { readonly kind: 'refuses'; readonly words: string; readonly body: string };

export class AdapterDesk {
  readonly service = new InProcessService({ authenticationRequired: true });
  fault: Fault | undefined;
  /** The Authorization headers the service saw. */
  readonly shown: (string | undefined)[] = [];
  /** Lines of the adapter's log. */
  readonly lines: Record<string, unknown>[] = [];
  readonly #server: Server;
  readonly #adapters: Adapter[] = [];

  constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', async () => {
        this.shown.push(incoming.headers.authorization);
        const { fault } = this;
        if (fault?.kind === 'silent') return;
        if (fault?.kind === 'cut-off') {
          outgoing.writeHead(200, { 'content-length': 1000 });
          outgoing.write('{"records":[');
          setImmediate(() => outgoing.destroy());
          return;
        }
        if (fault?.kind === 'answers') {
          outgoing.writeHead(fault.status).end(fault.body);
          return;
        }
        if (fault?.kind === 'tires' && --fault.answers < 0) {
          outgoing.writeHead(503).end('{"error":"busy"}');
          return;
        }
        if (fault?.kind === 'refuses' && Buffer.concat(chunks).includes(fault.words)) {
          outgoing.writeHead(400).end(fault.body);
          return;
        }
        const response = await this.service.request(incoming.url!, {
          method: incoming.method!,
          headers: incoming.headers as Record<string, string>,
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
        });
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        outgoing.end(Buffer.from(await response.arrayBuffer()));
      });
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get serviceUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Starts an adapter on free ports; returns where its webhook and its probes are. */
  async adapter(flags: Record<string, string> = {}): Promise<{ webhook: string; probes: string }> {
    const settings = adapterSettings(
      {
        svcUrl: this.serviceUrl,
        listenAddr: '127.0.0.1:0',
        healthListenAddr: '127.0.0.1:0',
        // A call of many parts takes long where the host is slow.
        timeoutSecs: '300',
        ...flags,
      },
      {},
    );
    const destination = { write: (line: string) => void this.lines.push(JSON.parse(line)) };
    const log = createLog({ level: 'debug', format: 'json', destination });
    const adapter = await startAdapter(settings, log);
    this.#adapters.push(adapter);
    return {
      webhook: `http://${adapter.webhookAddress}`,
      probes: `http://${adapter.healthAddress}`,
    };
  }

  async close(): Promise<void> {
    for (const adapter of this.#adapters) await adapter.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.service.close();
  }
}
