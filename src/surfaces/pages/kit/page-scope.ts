import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PageCookies } from './cookies.ts';
import { answerWithErrorPage } from './error-page.ts';
import { admitForm, type Fields, type FormRule } from './form-guard.ts';
import type { FormTokens } from './form-tokens.ts';
import { type FindSession, meetVisitor, type Visitor } from './visitor.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who looks at the page; of routes in a page scope only. */
    visitor: Visitor | undefined;
    /** Of an admitted form, without its token. */
    fields: Fields | undefined;
  }

  interface FastifyContextConfig {
    /** Of every page route that takes a form. */
    form?: FormRule;
  }
}

export interface PageScopeDeps {
  readonly cookies: PageCookies;
  readonly tokens: FormTokens;
  readonly findSession: FindSession;
  /** The service's own. */
  readonly origins: ReadonlySet<string>;
}

/** Bytes of a form; none of ours comes near. */
const bodyLimit = 16 * 1024;

/**
 * Makes an encapsulated part of the server one of pages: cookies are read, the visitor is known, forms are admitted
 * before a route sees them, and errors are pages. Nothing outside of the scope learns of cookies.
 */
export async function openPageScope(server: FastifyInstance, deps: PageScopeDeps): Promise<void> {
  server.removeAllContentTypeParsers();
  await server.register(cookie);
  // The parser must not throw: nothing would catch it.
  await server.register(formbody, { bodyLimit, parser: (text) => new URLSearchParams(text) as never });
  server.setErrorHandler(answerWithErrorPage);
  server.decorateRequest('visitor', undefined);
  server.decorateRequest('fields', undefined);
  server.addHook('onRoute', ({ method, url, config }) => {
    if ([method].flat().includes('POST') && config?.form === undefined)
      throw new Error(`POST ${url} takes a form and states no rule for it`);
  });
  server.addHook('onRequest', async (request, reply) => {
    request.visitor = await meetVisitor(request, reply, deps);
  });
  server.addHook('preHandler', async (request) => {
    const { form } = request.routeOptions.config;
    if (form !== undefined) request.fields = admitForm(request, visitorOf(request), form, deps);
  });
}

/** For handlers of a page scope. @throws Error, a fault of ours, elsewhere */
export function visitorOf({ visitor, routeOptions }: FastifyRequest): Visitor {
  if (visitor === undefined) throw new Error(`${routeOptions.url} is not in a page scope`);
  return visitor;
}

/** For handlers of routes with a form. @throws Error, a fault of ours, elsewhere */
export function fieldsOf({ fields, routeOptions }: FastifyRequest): Fields {
  if (fields === undefined) throw new Error(`${routeOptions.url} takes no form`);
  return fields;
}
