import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { logError } from '../../../fastify/log-error.ts';
import { retryAfterOf } from '../../../fastify/retry-after.ts';
import { el } from '../html/element.ts';
import type { NavigationLink } from '../html/frame.ts';
import { card, type Page } from '../html/layout.ts';
import { FormRefused } from './form-guard.ts';
import { sendPage } from './send-page.ts';

export interface ErrorView {
  readonly title: string;
  /** For people: what was wrong and what to do next. */
  readonly message: string;
  /** Identifies the request in the log. */
  readonly requestId?: string | undefined;
  /** Path of the page to start again at. */
  readonly restartPath?: string | undefined;
  /** The section of the organization that the page belongs to. */
  readonly section?: Pick<NavigationLink, 'href' | 'label'> | undefined;
  /** True to link to the start page. */
  readonly home?: boolean | undefined;
  /** A link back to the client that waits for a response, and its name. */
  readonly back?: { readonly href: string; readonly name: string } | undefined;
}

export function errorPage({ title, message, requestId, restartPath, section, home, back }: ErrorView): Page {
  return {
    title,
    content: card(
      visibleLine(title),
      el('p', null, visibleLine(message)),
      restartPath !== undefined && el('p', null, el('a', { href: restartPath }, 'Open the page again')),
      section !== undefined && el('p', null, el('a', { href: section.href }, `Open ${section.label}`)),
      home === true && el('p', null, el('a', { href: '/' }, 'Open the start page')),
      back !== undefined && backLink(back),
      requestId !== undefined &&
        el(
          'p',
          { class: 'quiet' },
          'Request id, for the operator of this service: ',
          el('code', null, requestId),
        ),
    ),
  };
}

function backLink({ href, name }: NonNullable<ErrorView['back']>): VNode {
  const link = el('a', { href }, 'Go back to ', el('strong', null, visibleLine(name)));
  return el('p', null, link, ' only if you came from there: this address is not verified.');
}

/** Converts any thrown value to an error page, for all routes of this surface. */
export function answerWithErrorPage(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = statusOf(error);
  if (reply.raw.destroyed)
    request.log.debug({ err: error }, 'client disconnected before the response was sent');
  else if (!isOfFramework(error)) logError(error, request.log);
  const wait = retryAfterOf(error);
  if (wait !== undefined) reply.header('retry-after', wait);
  const { frame, id: requestId } = request;
  const section = frame?.organization?.links.find(({ current }) => current);
  const page = errorPage({ section, ...viewOf(error, status), requestId });
  return sendPage(reply, { ...page, ...frame }, { status });
}

function statusOf(error: unknown): number {
  if (error instanceof OrgctxError) return error.status;
  return isOfFramework(error) ? error.statusCode : 500;
}

/**
 * Returns whether Fastify refused the request before a handler ran. Its messages quote the request, so they are not
 * shown.
 */
function isOfFramework(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || error instanceof OrgctxError) return false;
  const { statusCode = 500 } = error as FastifyError;
  return statusCode >= 400 && statusCode < 500;
}

function viewOf(error: unknown, status: number): ErrorView {
  const title = titles[status] ?? (status >= 500 ? titles[500] : titles[400]) ?? '';
  if (error instanceof OrgctxError) {
    const { message } = error;
    if (error instanceof FormRefused) return { title, message, restartPath: error.page, section: undefined };
    return { title, message };
  }
  return { title, message: messages[status] ?? (status >= 500 ? messages[500] : messages[400]) ?? '' };
}

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'This is not possible',
  413: 'The request is too large',
  415: 'Invalid request',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

const messages: Readonly<Record<number, string>> = {
  400: 'The request cannot be read. Go back and try again.',
  413: 'The form is larger than this page accepts. Go back, shorten it and try again.',
  415: 'This page accepts only forms.',
  500: 'This is an error of the service. Try again; if it happens again, tell the operator of this service.',
};
