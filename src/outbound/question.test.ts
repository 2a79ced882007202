import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { destinationOf } from '../../spec/support/destination.ts';
import { soaAnswer } from '../../spec/support/soa-answer.ts';
import { frameMessage } from '../dns/wire/framing.ts';
import { ask, askOverTcp, Question, QuestionError } from './question.ts';
import { surveySerials } from './serial-survey.ts';
import { soaOf } from './soa-probe.ts';

// As a defect of the reader would.
beforeEach(() => {
  vi.spyOn(Question.prototype, 'read').mockImplementation(() => {
    throw new RangeError('out of range');
  });
});
afterEach(() => void vi.restoreAllMocks());

const says = 'answered what can not be read: out of range';

describe('an answer that makes its reader fail ends the question, and nothing else', () => {
  it('over UDP, also where many zones are asked for', async () => {
    const socket = createSocket('udp4');
    socket.on('message', (request, from) => {
      socket.send(soaAnswer(request, 7), from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const target = destinationOf('127.0.0.1', socket.address().port);
    const asked = ask(target, soaOf('example.com'), { tryMs: 60_000, tries: 1 });
    await expect(asked).rejects.toThrow(new QuestionError(says));
    const { error } = await surveySerials(target, ['a.example'], { withinMs: 60_000 });
    expect(error).toContain(says);
    socket.close();
  });

  it('over TCP', async () => {
    const server = createServer((socket) => {
      socket.on('data', (framed: Buffer) =>
        socket.write(frameMessage(soaAnswer(framed.subarray(2), 7))),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const asked = askOverTcp(destinationOf('127.0.0.1', port), soaOf('example.com'), {
      tryMs: 60_000,
      tries: 1,
    });
    await expect(asked).rejects.toThrow(new QuestionError(says));
    server.close();
  });
});
