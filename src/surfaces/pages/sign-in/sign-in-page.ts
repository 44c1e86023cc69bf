import type { VNode } from 'preact';
import { entryField, type KeptEntry, resendForm } from '../app/kept-entry.ts';
import { actions, button, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { card, type Page } from '../kit/html/layout.ts';
import { pagePaths } from '../page-paths.ts';

/** The purpose of the sign-in form, for its token. */
export const signInPurpose = 'sign-in';

export interface SignInView {
  readonly csrf: string;
  readonly returnTo: string;
  readonly email?: string | undefined;
  readonly errors?: FieldErrors | undefined;
  /** The form that was sent after the session had ended, if there was one. */
  readonly sent?: KeptEntry | 'not kept' | undefined;
  /** The identity provider that may be used instead of a password. */
  readonly upstream?: { readonly host: string; readonly href: string } | undefined;
}

export function signInPage({ csrf, returnTo, email, errors, upstream, sent }: SignInView): Page {
  const kept = sent === 'not kept' ? undefined : sent;
  const entry = kept && entryField(kept);
  return {
    title: 'Sign in',
    content: card(
      'Sign in',
      sent !== undefined && el('p', { class: 'notice', role: 'status' }, sentText(kept, upstream?.host)),
      upstream && el('p', null, upstreamButton(upstream, sent !== undefined)),
      upstream && kept && resendForm(kept),
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

function sentText(kept: KeptEntry | undefined, host: string | undefined): string {
  if (kept === undefined)
    return 'Your session has ended, and what you entered is not kept on this page. To send it, sign in in another tab. Then reload this page, and confirm that the form is sent again.';
  const [secrets, again] = [kept.secrets.length > 0, 'Secrets must be entered again.'];
  const text = 'Your session has ended. What you entered is kept on this page: sign in to send it.';
  const there =
    host && `The sign-in with ${host} opens in another tab. Afterwards send here what you entered.`;
  return [text, secrets && again, there].filter(Boolean).join(' ');
}

/** The link to the identity provider. It opens another tab while this one keeps a form. */
function upstreamButton({ host, href }: NonNullable<SignInView['upstream']>, keepsTab: boolean): VNode {
  const target = keepsTab ? { target: '_blank' } : {};
  return el('a', { class: 'button', href, ...target }, `Sign in with ${host}`);
}
