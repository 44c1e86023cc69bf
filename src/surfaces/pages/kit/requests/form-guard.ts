import type { FastifyRequest } from 'fastify';
import { Forbidden, InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { secretMark } from '../forms/secret-fields.ts';
import type { FormTokens } from './form-tokens.ts';
import type { Visitor } from './visitor.ts';

/** The options that a route declares for its form. */
export interface FormRule {
  /** Returns the purpose of the form; its token is valid for this purpose only. */
  purpose(request: FastifyRequest): string;
  /** Returns the path of the page with the form, where a person starts again after a refused form. */
  page(request: FastifyRequest): string;
  /** Fields that may be repeated, such as those of checkboxes with the same name. */
  readonly lists?: readonly string[] | undefined;
  /**
   * True if the route handles a form of a person whose session has ended; the fields are then not admitted. Otherwise
   * such a form is refused.
   */
  readonly handlesEndedSession?: boolean;
}

export type Fields = Readonly<Record<string, string>>;

/** The values of the repeated fields, by name. */
export type ListFields = Readonly<Record<string, readonly string[]>>;

export interface AdmittedForm {
  readonly fields: Fields;
  readonly lists: ListFields;
}

/** The error for a form that was not sent from its own page, or is older than a sign-in in this browser. */
export class FormRefused extends Forbidden {
  /** Path of the page to start again at. */
  readonly page: string;

  constructor(page: string, detail: Readonly<Record<string, unknown>>, message = notAdmitted) {
    super('forbidden', message, { detail });
    this.page = page;
  }
}

const notAdmitted =
  'This form has expired or was not sent from its own page. Nothing was changed. Open the page again and resubmit it.';

const noCookie =
  'The browser sent no cookie of this service with the form. Nothing was changed. Allow cookies for this site, then open the page again and resubmit it.';

/** Checks a form and returns its fields, without the token. @throws FormRefused, InvalidInput */
export function admitForm(
  request: FastifyRequest,
  visitor: Visitor,
  rule: FormRule,
  { tokens, origins }: { readonly tokens: FormTokens; readonly origins: ReadonlySet<string> },
): AdmittedForm {
  requireOwnOrigin(request, rule, origins);
  const { fields, lists } = readFields(request.body, rule.lists ?? []);
  const { csrf = '', ...others } = fields;
  if (!tokens.accepts(visitor, rule.purpose(request), csrf)) {
    if (visitor.isNew === true) throw new FormRefused(rule.page(request), { reason: 'no cookie' }, noCookie);
    throw new FormRefused(rule.page(request), { reason: 'token of another form' });
  }
  return { fields: others, lists };
}

/** @throws FormRefused */
export function requireOwnOrigin(
  request: FastifyRequest,
  rule: FormRule,
  origins: ReadonlySet<string>,
): void {
  if (isFromHere(request, origins)) return;
  throw new FormRefused(rule.page(request), { reason: 'sent from another site' });
}

/**
 * Returns whether the browser reports that the form was on a page of this service. These pages send no referrer, so
 * the Origin of their forms is `null` (Fetch, "append a request Origin header"). Only Sec-Fetch-Site, which no page
 * can set, distinguishes it from that of a sandboxed frame. Without both headers the client is not a browser, and
 * only the token is checked.
 */
function isFromHere({ headers }: FastifyRequest, origins: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === 'null') return site === 'same-origin';
  return origin === undefined || origins.has(origin);
}

/**
 * Reads the fields of a form. @throws InvalidInput for a repeated field that is not in `repeated`, because it is
 * ambiguous
 */
function readFields(body: unknown, repeated: readonly string[]): AdmittedForm {
  const fields: Record<string, string> = Object.create(null);
  const lists: Record<string, string[]> = Object.create(null);
  if (!(body instanceof URLSearchParams)) throw new InvalidInput('This page accepts only forms.');
  for (const [name, value] of body) {
    if (name === secretMark) continue;
    if (!repeated.includes(name) && name in fields)
      throw new InvalidInput('The form contains a field twice. Open the page again.');
    // Postgres cannot store NUL.
    if (value.includes('\0'))
      throw new InvalidInput('The form contains a NUL character, which no field accepts.');
    if (repeated.includes(name)) (lists[name] ??= []).push(value);
    else fields[name] = value;
  }
  return { fields, lists };
}
