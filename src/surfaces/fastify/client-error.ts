import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemRecord } from '../../foundation/kernel/wire/problem-record.ts';
import { problemMediaType } from './problem.ts';

const statuses: Readonly<Record<string, { status: number; detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are too large: the limit is 16 KiB in total.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time: send it again.' },
};

const malformed = { status: 400, detail: 'This is not a valid HTTP request.' };

/** Responds to bytes that are not a valid HTTP request, in the same format as every other error. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, detail } = statuses[error.code ?? ''] ?? malformed;
  const title = STATUS_CODES[status] ?? 'Error';
  const problem: ProblemRecord = {
    type: 'about:blank',
    title,
    status,
    detail,
    code: 'validation_failed',
    requestId: randomUUID(),
  };
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      `Content-Type: ${problemMediaType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
