import type { FastifyReply, FastifyRequest } from 'fastify';
import { el } from '../html/element.ts';
import { card } from '../html/layout.ts';
import { seeOther, sendPage } from './send-page.ts';

export interface Departure {
  /** The address to which the response redirects. */
  readonly url: string;
  /** The address that the page leads to, also repeatedly. Default: `url`. */
  readonly href?: string;
  /** A sentence that says what happened and where the page leads. */
  readonly message: string;
}

/**
 * Answers a form that leads to another origin. Chromium applies `form-action` to every redirect that follows a form,
 * also to those of other services, which nobody here can know. A browser therefore gets a page that starts a new
 * navigation, to which `form-action` does not apply; it needs no script. A program, which sends no fetch metadata of a
 * navigation, gets a redirect with 303.
 */
export function leave(
  request: FastifyRequest,
  reply: FastifyReply,
  { url, href = url, message }: Departure,
): FastifyReply {
  if (!isNavigation(request)) return seeOther(reply, url);
  return sendPage(reply, {
    title: 'Continue',
    refreshTo: href,
    content: card(
      'Continue',
      el('p', null, message),
      el('p', null, 'If nothing opens, follow the link. If an app has opened, you can close this window.'),
      el('p', null, el('a', { href }, 'Continue')),
    ),
  });
}

/** Returns whether a browser navigates to the response (Fetch Metadata). No page and no program sets these by accident. */
function isNavigation({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
