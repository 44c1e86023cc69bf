import type { FastifyReply } from 'fastify';
import { pageHeaders } from '../../../fastify/page-headers.ts';
import { type Page, renderPage } from '../html/layout.ts';

export interface Sent {
  /** Default: 200. */
  readonly status?: number;
}

export function sendPage(reply: FastifyReply, page: Page, { status = 200 }: Sent = {}): FastifyReply {
  const script = page.organization !== undefined;
  return reply.code(status).headers(pageHeaders({ script })).send(renderPage(page));
}

/**
 * Redirects with 303 after a form: the browser continues with GET and does not resend a password (RFC 9700 section
 * 4.12).
 */
export function seeOther(reply: FastifyReply, url: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(url, 303);
}
