import type { VNode } from 'preact';
import { el } from '../kit/element.ts';
import { actions, button, type FieldErrors, form, textField } from '../kit/form.ts';
import { card, type Page } from '../kit/layout.ts';
import { pagePaths } from '../page-paths.ts';

/** The purpose of the sign-in form, for its token. */
export const signInPurpose = 'sign-in';

export interface SignInView {
  readonly csrf: string;
  readonly returnTo: string;
  readonly email?: string | undefined;
  readonly errors?: FieldErrors | undefined;
  /** A form that was sent after the session had ended (`app/kept-entry.ts`). */
  readonly entry?: string | undefined;
  /** The identity provider that may be used instead of a password. */
  readonly upstream?: { readonly host: string; readonly href: string } | undefined;
}

export function signInPage({ csrf, returnTo, email, errors, upstream, entry }: SignInView): Page {
  return {
    title: 'Sign in',
    content: card(
      'Sign in',
      entry !== undefined && el('p', { class: 'notice', role: 'status' }, keptText(upstream?.host)),
      upstream && el('p', null, upstreamButton(upstream, entry !== undefined)),
      form(
        { action: pagePaths.signIn, csrf, hidden: { returnTo, entry }, errors },
        textField({
          name: 'email',
          label: 'E-mail',
          type: 'email',
          autocomplete: 'username',
          value: email,
          error: errors?.['email'],
        }),
        textField({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'current-password',
          error: errors?.['password'],
        }),
        actions(button('Sign in', { primary: true })),
      ),
      el(
        'p',
        { class: 'quiet after' },
        'No password yet, or forgotten it? The operator of this service can create a sign-in link: ',
        el('code', null, 'orgctx admin link --email EMAIL'),
      ),
    ),
  };
}

function keptText(host: string | undefined): string {
  const kept = 'Your session has ended. What you entered is kept on this page: sign in to send it.';
  return host === undefined
    ? kept
    : `${kept} The sign-in with ${host} opens in another tab. Afterwards reload this page and confirm that the form is sent again.`;
}

/** The link to the identity provider. It opens another tab while this one keeps a form. */
function upstreamButton({ host, href }: NonNullable<SignInView['upstream']>, keepsTab: boolean): VNode {
  const target = keepsTab ? { target: '_blank' } : {};
  return el('a', { class: 'button', href, ...target }, `Sign in with ${host}`);
}
