import { el } from './kit/element.ts';
import { actions, button, checkbox, type Faults, form, textField } from './kit/form.ts';
import { card, type Page } from './kit/layout.ts';
import { newPasswordField } from './new-password-field.ts';
import { pagePaths } from './page-paths.ts';

export interface LinkForm {
  readonly action: string;
  readonly csrf: string;
  readonly faults?: Faults | undefined;
}

export interface BootstrapView extends LinkForm {
  readonly email?: string | undefined;
  readonly orgSlug: string;
  readonly orgName?: string | undefined;
}

/** The first person of a deployment, and their organization. */
export function bootstrapPage({ action, csrf, faults, email, orgSlug, orgName }: BootstrapView): Page {
  return {
    title: 'Set up orgctx',
    content: card(
      'Set up orgctx',
      el('p', null, 'You will be the owner of the first organization of this service.'),
      form(
        { action, csrf, faults },
        textField({
          name: 'email',
          label: 'Your e-mail',
          type: 'email',
          autocomplete: 'username',
          value: email,
          fault: faults?.['email'],
        }),
        newPasswordField({ label: 'Your password', fault: faults?.['password'] }),
        textField({
          name: 'orgName',
          label: 'Name of the organization',
          type: 'text',
          autocomplete: 'organization',
          value: orgName,
          fault: faults?.['orgName'],
        }),
        textField({
          name: 'orgSlug',
          label: 'Its short name in addresses',
          hint: 'Lower-case letters, digits and hyphens.',
          type: 'text',
          autocomplete: 'off',
          value: orgSlug,
          fault: faults?.['orgSlug'],
        }),
        actions(button('Create and sign in', { primary: true })),
      ),
    ),
  };
}

export interface SignInLinkView extends LinkForm {
  /** Whom it signs in. */
  readonly email: string;
  readonly endKeys: boolean;
}

export function signInLinkPage({ action, csrf, faults, email, endKeys }: SignInLinkView): Page {
  return {
    title: 'Sign in with this link',
    content: card(
      'Sign in with this link',
      el('p', null, 'This link signs you in as ', el('strong', null, email), '. It works once.'),
      form(
        { action, csrf, faults },
        newPasswordField({
          label: 'New password (leave empty to keep what you have)',
          fault: faults?.['password'],
          optional: true,
        }),
        el(
          'p',
          { class: 'hint' },
          'A new password in the place of another signs you out everywhere else and disconnects every client that you ' +
            'connected. API keys go on working, unless you end them here.',
        ),
        checkbox({ name: 'endKeys', label: 'Also end my API keys', checked: endKeys }),
        actions(button('Sign in', { primary: true })),
      ),
    ),
  };
}

export type DeadLink = 'used' | 'expired' | 'unknown';

/** Fixed texts only: nothing of the request is repeated in them. */
const deadLinks: Readonly<Record<DeadLink, { readonly heading: string; readonly text: string }>> = {
  used: { heading: 'This sign-in link has been used', text: 'A link works once.' },
  expired: { heading: 'This sign-in link has expired', text: 'A link works for 30 minutes.' },
  unknown: {
    heading: 'This is not a sign-in link of this service',
    text: 'Copy the whole link, or get another.',
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
        `${text} The operator of this service makes another: `,
        el('code', null, 'orgctx admin link --email EMAIL'),
      ),
      el('p', null, el('a', { href: pagePaths.signIn }, 'Sign in with a password')),
    ),
  };
}
