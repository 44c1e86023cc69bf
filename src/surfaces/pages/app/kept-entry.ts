import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BrowserSession } from '../../../features/identity/sign-in/session.ts';
import { el } from '../kit/element.ts';
import { actions, button } from '../kit/form.ts';
import { card, type Page } from '../kit/layout.ts';
import { ownPath } from '../kit/own-path.ts';
import { visitorOf } from '../kit/page-scope.ts';
import { sendPage } from '../kit/send-page.ts';
import type { PageContext } from '../pages-deps.ts';
import { signInPage, signInPurpose } from '../sign-in/sign-in-page.ts';
import { upstreamLink } from '../sign-in/upstream-routes.ts';
import { formPurpose } from './form-purpose.ts';

/** A form that was sent after the session had ended. The sign-in page carries it, so nothing is stored. */
interface KeptEntry {
  readonly action: string;
  /** The encoded fields, with the token of the form. */
  readonly body: string;
}

const keptEntry = z.object({ action: z.string(), body: z.string() });

/** Answers a form of a person whose session has ended with a sign-in page that keeps what was entered. */
export function keepEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  context: PageContext,
  returnTo: string,
): FastifyReply {
  const body = request.body instanceof URLSearchParams ? request.body.toString() : '';
  const entry: KeptEntry = { action: request.url.split('?', 1)[0] ?? '', body };
  const page = signInPage({
    csrf: context.tokens.issue(visitorOf(request), signInPurpose),
    returnTo,
    entry: Buffer.from(JSON.stringify(entry)).toString('base64url'),
    upstream: upstreamLink(context, returnTo),
  });
  return sendPage(reply, page, { status: 401 });
}

/**
 * Returns the page that sends a kept entry again; `undefined` if the entry is damaged or of another person or browser,
 * which its token shows.
 */
export function resumePage(
  text: string,
  session: BrowserSession,
  { formKey, tokens, returnTo }: Pick<PageContext, 'tokens'> & ResumeView,
): Page | undefined {
  const entry = parseEntry(text);
  const action = ownPath(entry?.action, '');
  if (entry === undefined || action === '') return undefined;
  const fields = [...new URLSearchParams(entry.body)];
  const token = fields.find(([name]) => name === 'csrf')?.[1] ?? '';
  if (!tokens.accepts({ session, formKey }, formPurpose(action), token)) return undefined;
  return {
    title: 'Signed in again',
    content: card(
      'Signed in again',
      el(
        'p',
        null,
        'Your session had ended before the form arrived. What you entered is kept, but not saved yet.',
      ),
      el(
        'form',
        { method: 'post', action },
        ...fields.map(([name, value]) => el('input', { type: 'hidden', name, value })),
        actions(
          button('Send what you entered', { primary: true }),
          el('a', { class: 'button', href: returnTo }, 'Discard it'),
        ),
      ),
    ),
  };
}

interface ResumeView {
  readonly formKey: string;
  readonly returnTo: string;
}

function parseEntry(text: string): KeptEntry | undefined {
  try {
    return keptEntry.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
