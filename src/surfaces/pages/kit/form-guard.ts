import type { FastifyRequest } from 'fastify';
import { Forbidden, InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { FormTokens } from './form-tokens.ts';
import type { Visitor } from './visitor.ts';

/** What a route that takes a form states of it. */
export interface FormRule {
  /** What the form decides: its token counts for nothing else. */
  purpose(request: FastifyRequest): string;
  /** Path of the page that shows the form, where somebody whose form is refused begins again. */
  page(request: FastifyRequest): string;
}

export type Fields = Readonly<Record<string, string>>;

/** A form that did not come from the page that it claims, or is older than a sign-in at this browser. */
export class FormRefused extends Forbidden {
  /** Path to begin again at. */
  readonly page: string;

  constructor(page: string, detail: Readonly<Record<string, unknown>>) {
    super(
      'forbidden',
      'This form is out of date, or was not sent from its page. Nothing was done. Open the page again and repeat it there.',
      { detail },
    );
    this.page = page;
  }
}

/** Everything a form has to pass before a route sees its fields. @throws FormRefused, InvalidInput */
export function admitForm(
  request: FastifyRequest,
  visitor: Visitor,
  rule: FormRule,
  { tokens, origins }: { readonly tokens: FormTokens; readonly origins: ReadonlySet<string> },
): Fields {
  const refuse = (reason: string): never => {
    throw new FormRefused(rule.page(request), { reason });
  };
  if (!isFromHere(request, origins)) refuse('sent from elsewhere');
  const { csrf = '', ...fields } = readFields(request.body);
  if (!tokens.accepts(visitor, rule.purpose(request), csrf)) refuse('token of another form');
  return fields;
}

/**
 * By what the browser itself says of where the form stood. Our pages send no referrer, so the Origin of their forms
 * is `null` (Fetch, "append a request Origin header"); only Sec-Fetch-Site, which no page can write, tells it from a
 * sandboxed frame's. Without either it is no browser, and the token decides alone.
 */
function isFromHere({ headers }: FastifyRequest, origins: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === 'null') return site === 'same-origin';
  return origin === undefined || origins.has(origin);
}

/** @throws InvalidInput for a field given twice: which of the two counted would be anybody's guess. */
function readFields(body: unknown): Fields {
  const fields: Record<string, string> = Object.create(null);
  if (!(body instanceof URLSearchParams)) throw new InvalidInput('This page takes a form.');
  for (const [name, value] of body) {
    if (name in fields) throw new InvalidInput('The form names a field twice. Open the page again.');
    // Postgres stores no NUL.
    if (value.includes('\0')) throw new InvalidInput('The form holds a character that no field takes.');
    fields[name] = value;
  }
  return fields;
}
