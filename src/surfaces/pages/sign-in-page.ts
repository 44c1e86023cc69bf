import { el } from './kit/element.ts';
import { actions, button, type Faults, form, textField } from './kit/form.ts';
import { card, type Page } from './kit/layout.ts';
import { pagePaths } from './page-paths.ts';

export interface SignInView {
  readonly csrf: string;
  readonly returnTo: string;
  readonly email?: string | undefined;
  readonly faults?: Faults | undefined;
  /** The identity provider that may be used instead of a password. */
  readonly upstream?: { readonly host: string; readonly href: string } | undefined;
}

export function signInPage({ csrf, returnTo, email, faults, upstream }: SignInView): Page {
  return {
    title: 'Sign in',
    content: card(
      'Sign in',
      upstream &&
        el('p', null, el('a', { class: 'button', href: upstream.href }, `Sign in with ${upstream.host}`)),
      form(
        { action: pagePaths.signIn, csrf, hidden: { returnTo }, faults },
        textField({
          name: 'email',
          label: 'E-mail',
          type: 'email',
          autocomplete: 'username',
          value: email,
          fault: faults?.['email'],
        }),
        textField({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'current-password',
          fault: faults?.['password'],
        }),
        actions(button('Sign in', { primary: true })),
      ),
      el(
        'p',
        { class: 'quiet after' },
        'No password yet, or forgotten? The operator of this service makes a sign-in link: ',
        el('code', null, 'orgctx admin link --email EMAIL'),
      ),
    ),
  };
}
