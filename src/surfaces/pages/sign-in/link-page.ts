import { newPasswordField } from '../account/new-password-field.ts';
import { actions, button, checkbox, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { card, type Page } from '../kit/html/layout.ts';
import { pagePaths } from '../page-paths.ts';

export interface LinkForm {
  readonly action: string;
  readonly csrf: string;
  readonly errors?: FieldErrors | undefined;
}

export interface BootstrapView extends LinkForm {
  readonly email?: string | undefined;
  readonly orgSlug: string;
  readonly orgName?: string | undefined;
}

/** The form that creates the first person of a deployment and their organization. */
export function bootstrapPage({ action, csrf, errors, email, orgSlug, orgName }: BootstrapView): Page {
  return {
    title: 'Set up orgctx',
    content: card(
      'Set up orgctx',
      el('p', null, 'You will be the owner of the first organization of this service.'),
      form(
        { action, csrf, errors },
        textField({
          name: 'email',
          label: 'Your e-mail',
          type: 'email',
          autocomplete: 'username',
          value: email,
          error: errors?.['email'],
        }),
        newPasswordField({ label: 'Your password', error: errors?.['password'] }),
        textField({
          name: 'orgName',
          label: 'Name of the organization',
          type: 'text',
          autocomplete: 'organization',
          value: orgName,
          error: errors?.['orgName'],
        }),
        textField({
          name: 'orgSlug',
          label: 'Short name, used in URLs',
          hint: 'Lower-case letters, digits and hyphens.',
          type: 'text',
          autocomplete: 'off',
          value: orgSlug,
          error: errors?.['orgSlug'],
        }),
        actions(button('Create and sign in', { primary: true })),
      ),
    ),
  };
}

export interface SignInLinkView extends LinkForm {
  /** The address of the person that the link signs in. */
  readonly email: string;
  readonly hasPassword: boolean;
  readonly endKeys: boolean;
}

export function signInLinkPage(view: SignInLinkView): Page {
  return view.hasPassword ? replacementPage(view) : firstPasswordPage(view);
}

function firstPasswordPage({ action, csrf, errors, email }: SignInLinkView): Page {
  return {
    title: 'Welcome to orgctx',
    content: card(
      'Welcome to orgctx',
      el('p', null, 'This link signs you in as ', el('strong', null, email), '. It works once.'),
      el(
        'p',
        null,
        'Choose a password to sign in with from now on. Without one, you need a new link each time.',
      ),
      form(
        { action, csrf, errors },
        newPasswordField({
          label: 'Your new password (may be left empty)',
          error: errors?.['password'],
          optional: true,
        }),
        actions(button('Sign in', { primary: true })),
      ),
    ),
  };
}

/** The page for a person with a password, who may replace it. */
function replacementPage({ action, csrf, errors, email, endKeys }: SignInLinkView): Page {
  return {
    title: 'Sign in with this link',
    content: card(
      'Sign in with this link',
      el('p', null, 'This link signs you in as ', el('strong', null, email), '. It works once.'),
      form(
        { action, csrf, errors },
        newPasswordField({
          label: 'New password (leave empty to keep the current one)',
          error: errors?.['password'],
          optional: true,
        }),
        el(
          'p',
          { class: 'hint' },
          'Replacing your password signs you out everywhere else and disconnects every client that you connected. API ' +
            'keys keep working unless you revoke them here.',
        ),
        checkbox({ name: 'endKeys', label: 'Also revoke my API keys', checked: endKeys }),
        actions(button('Sign in', { primary: true })),
      ),
    ),
  };
}

export type DeadLink = 'used' | 'expired' | 'unknown';

/** Fixed texts; they never quote the request. */
const deadLinks: Readonly<Record<DeadLink, { readonly heading: string; readonly text: string }>> = {
  used: { heading: 'This sign-in link has been used', text: 'A link works once.' },
  expired: { heading: 'This sign-in link has expired', text: 'A link works for 30 minutes.' },
  unknown: {
    heading: 'This is not a sign-in link of this service',
    text: 'Check that you copied the complete link.',
  },
};

export function deadLinkPage(reason: DeadLink): Page {
  const { heading, text } = deadLinks[reason];
  return {
    title: heading,
    content: card(
      heading,
      el(
        'p',
        null,
        `${text} Ask the operator of this service for a new one, by the command `,
        el('code', null, 'orgctx admin link --email EMAIL'),
        '.',
      ),
      el('p', null, el('a', { class: 'button', href: pagePaths.signIn }, 'Sign in')),
    ),
  };
}
