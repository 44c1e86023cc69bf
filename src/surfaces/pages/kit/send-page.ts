import type { FastifyReply } from 'fastify';
import { pageHeaders } from '../../fastify/page-headers.ts';
import { type Page, renderPage } from './layout.ts';

export interface Sent {
  /** Default: 200. */
  readonly status?: number;
  /** Where its forms lead in the end, beside this service; see `pageHeaders`. */
  readonly formAction?: string;
}

export function sendPage(
  reply: FastifyReply,
  page: Page,
  { status = 200, formAction }: Sent = {},
): FastifyReply {
  return reply.code(status).headers(pageHeaders(formAction)).send(renderPage(page));
}

/** After a form the browser goes on with GET, and its password stays behind (RFC 9700 section 4.12). */
export function seeOther(reply: FastifyReply, url: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(url, 303);
}
