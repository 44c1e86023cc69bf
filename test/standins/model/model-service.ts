import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import {
  anthropicError,
  anthropicEvents,
  anthropicText,
  anthropicWhole,
  readAnthropic,
  textDelta,
} from './anthropic-shape.ts';
import { openaiError, openaiEvents, openaiText, openaiWhole, readOpenai } from './openai-shape.ts';
import { type Failure, type ReceivedTurn, Refused, type RefusedTurn, type Reply } from './turns.ts';

/** What the model says to a request. */
export type Script = (turn: ReceivedTurn) => Reply;

/** A loopback service with a scripted language model, in the shapes of OpenAI and of Anthropic. */
export interface ModelService extends AsyncDisposable {
  /** The setting MODEL_BASE_URL for each kind of provider. */
  readonly urls: { readonly 'openai-compatible': string; readonly anthropic: string };
  readonly key: string;
  readonly model: string;
  script: Script;
  /** The accepted requests. */
  readonly turns: readonly ReceivedTurn[];
  /** Method and path of each request, with the status of those that were refused. */
  readonly requests: readonly string[];
  /** Resolves when a client has closed a connection before the end of its response. */
  untilLeft(): Promise<void>;
}

const shapes = {
  openai: {
    read: readOpenai,
    events: openaiEvents,
    whole: openaiWhole,
    first: openaiText,
    next: openaiText,
    error: openaiError,
  },
  anthropic: {
    read: readAnthropic,
    events: anthropicEvents,
    whole: anthropicWhole,
    first: anthropicText,
    next: (_model: string, text: string) => textDelta(0, text),
    error: anthropicError,
  },
} as const;

type Shape = (typeof shapes)[keyof typeof shapes];

const paths: Readonly<Record<string, keyof typeof shapes>> = {
  '/openai/v1/chat/completions': 'openai',
  '/anthropic/v1/messages': 'anthropic',
};

export async function startModelService(script: Script): Promise<ModelService> {
  const turns: ReceivedTurn[] = [];
  const requests: string[] = [];
  let left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (response.writableFinished) return;
      left.resolve();
    });
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: ModelService = {
    urls: { 'openai-compatible': `${base}/openai/v1`, anthropic: `${base}/anthropic/v1` },
    key: 'model-key-that-nobody-may-see',
    model: 'toy-model-1',
    script,
    turns,
    requests,
    async untilLeft() {
      await left.promise;
      left = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const shape = shapes[paths[path] ?? 'openai'];
    try {
      const { model, turn } = shape.read(await bodyOf(request, service));
      if (model !== service.model) throw new Refused(404, `the model ${model} does not exist`);
      requests.push(`${request.method} ${path}`);
      turns.push(turn);
      const reply = service.script(turn);
      if (typeof reply === 'string') return await misbehave(reply, shape, model, response);
      if ('status' in reply) return refuse(response, reply);
      if (!turn.isStream) return send(response, 200, shape.whole(model, reply));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of shape.events(model, reply)) response.write(event);
      response.end();
    } catch (error) {
      const status = error instanceof Refused ? error.status : error instanceof z.ZodError ? 400 : 500;
      requests.push(`${request.method} ${path} ${status}`);
      send(response, status, shape.error(status, error instanceof Error ? error.message : 'failed'));
    }
  }
  return service;
}

/** Checks what the real services check before the content, and reads the body. @throws Refused */
async function bodyOf(request: IncomingMessage, { key }: ModelService): Promise<unknown> {
  const { method, url = '', headers } = request;
  const shape = paths[url];
  if (shape === undefined) throw new Refused(404, 'no such path');
  if (method !== 'POST') throw new Refused(405, 'use POST');
  const given = shape === 'openai' ? headers.authorization : headers['x-api-key'];
  if (given !== (shape === 'openai' ? `Bearer ${key}` : key))
    throw new Refused(401, `invalid key ${String(given)}`);
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) throw new Refused(415, 'send JSON');
  if (shape === 'anthropic' && headers['anthropic-version'] !== '2023-06-01')
    throw new Refused(400, 'anthropic-version is missing');
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refused(400, 'the body is not JSON');
  }
}

function send(
  response: ServerResponse,
  status: number,
  json: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(json));
}

function refuse(response: ServerResponse, { status, body }: RefusedTurn): void {
  if (typeof body !== 'string') return send(response, status, body);
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(body);
}

async function misbehave(
  failure: Failure,
  shape: Shape,
  model: string,
  response: ServerResponse,
): Promise<void> {
  if (failure === 'hang') return;
  if (failure === 'rate-limit')
    return send(response, 429, shape.error(429, 'slow down'), { 'retry-after': '7' });
  if (failure === 'failure') return send(response, 500, shape.error(500, 'broken'));
  if (failure === 'page') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html><body>Sign in to the network [1] </body></html>');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await stream(failure, shape, model, response);
}

/** Sends a stream of events that is not as it should be. */
async function stream(
  failure: Failure,
  shape: Shape,
  model: string,
  response: ServerResponse,
): Promise<void> {
  const text = shape.first(model, 'The first words [1] ');
  if (failure === 'garbage')
    response.end(`data: {"choices": 7}\n\n\u0000\u0001 data: [1] \n\ndata: {{{{\n\n`);
  else if (failure === 'empty' || failure === 'huge') {
    const turn = failure === 'empty' ? {} : { text: 'x'.repeat(8_000_000) };
    for (const event of shape.events(model, turn)) response.write(event);
    response.end();
  } else if (failure === 'error-event') {
    response.write(text);
    response.end(`event: error\ndata: ${JSON.stringify(shape.error(500, 'overloaded'))}\n\n`);
  } else if (failure === 'no-end') response.end(text);
  else if (failure === 'break') response.write(`${text}data: {"cho`, () => response.destroy());
  else if (failure === 'stall') response.write(text);
  else {
    response.write(text);
    const words = shape.next(model, 'and so on '.repeat(20));
    while (!response.destroyed) {
      if (!response.write(words))
        await new Promise((ready) => response.once('drain', ready).once('close', ready));
      await new Promise((next) => setImmediate(next));
    }
  }
}
