/**
 * The way from a service to a parent's server, which can be cut: UDP datagrams are passed on to a port of
 * loopback and back. Where it is cut nobody listens, so that who asks knows at once that there is no answer.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { freePort } from './ports.ts';

export class ParentRelay {
  readonly port: number;
  readonly #target: number;
  #socket: Socket | undefined;
  readonly #questions = new Set<Socket>();

  private constructor(port: number, target: number) {
    this.port = port;
    this.#target = target;
  }

  static async start(target: number): Promise<ParentRelay> {
    const relay = new ParentRelay(await freePort(), target);
    await relay.turn(true);
    return relay;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** Opens the way or cuts it. */
  async turn(open: boolean): Promise<void> {
    if (open === this.isOpen) return;
    if (!open) {
      const closed = once(this.#socket!, 'close');
      this.#socket!.close();
      this.#socket = undefined;
      await closed;
      return;
    }
    const socket = createSocket('udp4');
    socket.on('message', (request, from) => this.#pass(socket, request, from));
    socket.bind(this.port, '127.0.0.1');
    await once(socket, 'listening');
    this.#socket = socket;
  }

  #pass(socket: Socket, request: Buffer, from: { port: number; address: string }): void {
    const question = createSocket('udp4');
    this.#questions.add(question);
    const end = () => {
      if (this.#questions.delete(question)) question.close();
    };
    question.once('error', end);
    question.once('message', (answer) => {
      if (socket === this.#socket) socket.send(answer, from.port, from.address);
      end();
    });
    question.send(request, this.#target, '127.0.0.1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.turn(false);
    for (const question of this.#questions) question.close();
    this.#questions.clear();
  }
}
