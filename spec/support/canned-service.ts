/** A stand-in for the service that answers what it is told to and remembers what it was asked. */
import { createServer, type RequestListener, type Server } from 'node:http';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly body: unknown;
}

export class CannedService {
  readonly asked: Asked[] = [];
  /** `Authorization` of each request. */
  readonly authorizations: (string | undefined)[] = [];
  /** What the next requests are answered with. */
  reply: { readonly status: number; readonly body: object } = { status: 200, body: {} };
  readonly #server: Server;

  private constructor(open: (listener: RequestListener) => Server) {
    this.#server = open((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const text = Buffer.concat(chunks).toString();
        this.authorizations.push(request.headers.authorization);
        this.asked.push({
          method: request.method ?? '',
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          body: text === '' ? undefined : JSON.parse(text),
        });
        const { status, body } = this.reply;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
  }

  /** Listens at the path of a socket, or at a port of loopback; `open` makes another kind of server. */
  static async start(
    where: string | number,
    open: (listener: RequestListener) => Server = createServer,
  ): Promise<CannedService> {
    const service = new CannedService(open);
    await new Promise<void>((resolve) => {
      if (typeof where === 'string') service.#server.listen(where, resolve);
      else service.#server.listen(where, '127.0.0.1', resolve);
    });
    return service;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
