/** Sends one large body; the answer is read to its end and thrown away. */
import { request } from 'node:http';

export interface PostOptions {
  /** Whether an answer of the service's own, such as 503, is no failure. */
  readonly mayBeRefused?: boolean;
}

export function post(
  port: number,
  path: string,
  body: string | Buffer,
  { mayBeRefused = false }: PostOptions = {},
): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const call = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, (response) => {
      const status = response.statusCode ?? 0;
      let bytes = 0;
      let said = '';
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (status >= 300) said += piece.toString();
      });
      response.on('end', () => {
        if (status < 300 || mayBeRefused) resolve({ status, bytes });
        else reject(new Error(`POST ${path}: ${status} ${said.slice(0, 500)}`));
      });
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}
