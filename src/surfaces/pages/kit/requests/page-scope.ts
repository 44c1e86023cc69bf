import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TooLarge } from '../../../../foundation/kernel/errors.ts';
import { closeAfterUnreadBody } from '../../../fastify/read-body.ts';
import { holdBodyOfStranger, holdBodyOfUser, readHeldBody } from '../../../fastify/take-bodies.ts';
import type { PageFrame } from '../html/frame.ts';
import type { PageCookies } from './cookies.ts';
import { answerWithErrorPage } from './error-page.ts';
import { admitForm, type Fields, type FormRule, type ListFields, requireOwnOrigin } from './form-guard.ts';
import type { FormTokens } from './form-tokens.ts';
import { type FindSession, identifyVisitor, type Visitor } from './visitor.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The visitor of the page; set for routes in a page scope only. */
    visitor: Visitor | undefined;
    /** The fields of an admitted form, without its token. */
    fields: Fields | undefined;
    /** The values of the repeated fields of an admitted form. */
    lists: ListFields | undefined;
    /** The parts around the content of the page, for errors; set after the person was admitted to an organization. */
    frame: PageFrame | undefined;
  }

  interface FastifyContextConfig {
    /** Required for every page route that accepts a form. */
    form?: FormRule;
  }
}

export interface PageScopeDeps {
  readonly cookies: PageCookies;
  readonly tokens: FormTokens;
  readonly findSession: FindSession;
  /** The origins of the service. */
  readonly origins: ReadonlySet<string>;
}

/** Maximum size of a form whose route names none, in bytes; far above that of most forms of the service. */
const bodyLimit = 16 * 1024;

/**
 * Prepares an encapsulated scope of the server for pages: it reads cookies, identifies the visitor, checks forms
 * before the route runs, and converts errors to pages. Routes outside the scope cannot read cookies.
 */
export async function openPageScope(server: FastifyInstance, deps: PageScopeDeps): Promise<void> {
  server.removeAllContentTypeParsers();
  await server.register(cookie);
  takeForms(server);
  server.setErrorHandler(answerWithErrorPage);
  server.decorateRequest('visitor', undefined);
  server.decorateRequest('fields', undefined);
  server.decorateRequest('lists', undefined);
  server.decorateRequest('frame', undefined);
  server.addHook('onRoute', (route) => {
    const { method, url, config } = route;
    route.bodyLimit ??= bodyLimit;
    if ([method].flat().includes('POST') && config?.form === undefined)
      throw new Error(`POST ${url} accepts a form but has no form rule`);
  });
  server.addHook('onRequest', async (request, reply) => {
    request.visitor = await identifyVisitor(request, reply, deps);
  });
  server.addHook('preHandler', async (request) => {
    const { form } = request.routeOptions.config;
    if (form === undefined) return;
    const visitor = visitorOf(request);
    if (form.handlesEndedSession === true && visitor.session === undefined)
      return requireOwnOrigin(request, form, deps.origins);
    const { fields, lists } = admitForm(request, visitor, form, deps);
    request.fields = fields;
    request.lists = lists;
  });
}

/** Reads forms within the shares of their user and organization, or of their address, in the budget for bodies. */
function takeForms(server: FastifyInstance): void {
  server.addHook('preParsing', async (request, reply) => {
    const { session } = visitorOf(request);
    if (session === undefined) holdBodyOfStranger(request, reply);
    else holdBodyOfUser(request, reply, session.userId);
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, stream: IncomingMessage) => {
      try {
        return new URLSearchParams((await readHeldBody(request, stream)).toString());
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
        throw new TooLarge('The form is larger than this page accepts. Go back, shorten it and try again.');
      }
    },
  );
  closeAfterUnreadBody(server);
}

/** Returns the visitor of a request. @throws Error (an internal one) outside a page scope */
export function visitorOf({ visitor, routeOptions }: FastifyRequest): Visitor {
  if (visitor === undefined) throw new Error(`${routeOptions.url} is not in a page scope`);
  return visitor;
}

/** Returns the form fields of a request. @throws Error (an internal one) on a route without a form */
export function fieldsOf({ fields, routeOptions }: FastifyRequest): Fields {
  if (fields === undefined) throw new Error(`${routeOptions.url} has no form`);
  return fields;
}
