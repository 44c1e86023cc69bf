import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { visibleLine } from '../../../foundation/kernel/visible-text.ts';
import { logFault } from '../../fastify/log-fault.ts';
import { retryAfterOf } from '../../fastify/retry-after.ts';
import { el } from './element.ts';
import { FormRefused } from './form-guard.ts';
import { card, type Page } from './layout.ts';
import { sendPage } from './send-page.ts';

export interface ErrorView {
  readonly title: string;
  /** For people: what was wrong and the next step. */
  readonly message: string;
  /** Names the request in the log. */
  readonly requestId?: string | undefined;
  /** Path of the page to begin again at. */
  readonly again?: string | undefined;
  /** A place of others that waits for an answer, and how people know it. */
  readonly back?: { readonly href: string; readonly name: string } | undefined;
}

export function errorPage({ title, message, requestId, again, back }: ErrorView): Page {
  return {
    title,
    content: card(
      visibleLine(title),
      el('p', null, visibleLine(message)),
      again !== undefined && el('p', null, el('a', { href: again }, 'Open the page again')),
      back !== undefined && backLink(back),
      requestId !== undefined &&
        el('p', { class: 'quiet' }, 'For the log of the service: request ', el('code', null, requestId)),
    ),
  };
}

function backLink({ href, name }: NonNullable<ErrorView['back']>): VNode {
  const link = el('a', { href }, 'Go back to ', el('strong', null, visibleLine(name)));
  return el('p', null, link, ' only if that is where you came from: nobody has verified this address.');
}

/** Translates whatever was thrown into a page: the one place of this surface that does. */
export function answerWithErrorPage(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = statusOf(error);
  if (reply.raw.destroyed) request.log.debug({ err: error }, 'caller left');
  else if (!isOfFramework(error)) logFault(error, request.log);
  const wait = retryAfterOf(error);
  if (wait !== undefined) reply.header('retry-after', wait);
  return sendPage(reply, errorPage({ ...wordsOf(error, status), requestId: request.id }), { status });
}

function statusOf(error: unknown): number {
  if (error instanceof OrgctxError) return error.status;
  return isOfFramework(error) ? error.statusCode : 500;
}

/** What Fastify refuses before a handler sees it; its own texts quote the request. */
function isOfFramework(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || error instanceof OrgctxError) return false;
  const { statusCode = 500 } = error as FastifyError;
  return statusCode >= 400 && statusCode < 500;
}

function wordsOf(error: unknown, status: number): ErrorView {
  const title = titles[status] ?? (status >= 500 ? titles[500] : titles[400]) ?? '';
  if (error instanceof OrgctxError) {
    return { title, message: error.message, again: error instanceof FormRefused ? error.page : undefined };
  }
  return { title, message: messages[status] ?? (status >= 500 ? messages[500] : messages[400]) ?? '' };
}

const titles: Readonly<Record<number, string>> = {
  400: 'That request was not right',
  403: 'Not allowed',
  404: 'There is nothing here',
  409: 'That is not possible',
  413: 'That was too much',
  415: 'That request was not right',
  429: 'Too many attempts',
  500: 'Something went wrong here',
  503: 'Not now',
};

const messages: Readonly<Record<number, string>> = {
  400: 'The request cannot be read. Go back and try again.',
  413: 'The form holds more than this page takes.',
  415: 'This page takes a form, and nothing else.',
  500: 'It was not your doing. Try again; if it stays, tell the operator of this service.',
};
