import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AskOptions } from '../../../../features/advisor/ask.ts';
import type { Answered } from '../../../../features/conversations/ask-in-conversation.ts';
import { toAnsweredRecord } from '../../../../features/conversations/conversation-record.ts';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import { logError } from '../../../fastify/log-error.ts';
import { problemOf } from '../../../fastify/problem.ts';
import { type EventStream, eventStream } from './event-stream.ts';

/** Interval of the events that show that an answer is being written, in milliseconds. Proxies wait for 30 to 60 s. */
const heartbeatMs = 10_000;

/**
 * Sends an answer as events while it is written: `status` at once, with each step and every ten seconds, `delta` with
 * pieces of the text, then `citations` and `done`, which has the whole answer. An error before the first event is
 * thrown; a later one is the event `error`, whose data is a problem.
 */
export async function streamAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (hooks: Pick<AskOptions, 'onProgress' | 'onText'>) => Promise<Answered>,
): Promise<FastifyReply> {
  const events = eventStream();
  const accepted = Promise.withResolvers<void>();
  let step = '';
  const sendStatus = (): void => events.send('status', { message: step });
  const answering = answer({
    onProgress(message) {
      step = message;
      sendStatus();
      accepted.resolve();
    },
    onText: (text) => events.send('delta', { text }),
  });
  await Promise.race([accepted.promise, answering]);
  const heartbeat = setInterval(sendStatus, heartbeatMs);
  void finish(answering, events, request, reply).finally(() => clearInterval(heartbeat));
  return events.open(reply);
}

/** Sends the last events. Never rejects. */
async function finish(
  answering: Promise<Answered>,
  events: EventStream,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    const answered = toAnsweredRecord(await answering);
    events.send('citations', { citations: answered.answer.citations });
    events.send('done', answered);
  } catch (error) {
    const problem = error instanceof OrgctxError ? error : undefined;
    // A caller that disconnected stops the answer, which is not an error to log.
    if (!reply.raw.destroyed) logError(error, request.log);
    events.send('error', problemOf(problem, request.id));
  }
  events.end();
}
