import type { Role } from '../../../features/identity/access/principal.ts';
import { newPasswordField } from '../account/new-password-field.ts';
import { actions, button, type FieldErrors, form, hiddenFields, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import type { SignedInPerson } from '../kit/html/frame.ts';
import { card, type Page } from '../kit/html/layout.ts';
import { pagePaths } from '../page-paths.ts';

export interface Invited {
  /** The invited address; only its owner can accept the invitation. */
  readonly email: string;
  readonly role: Role;
  readonly organization: string;
}

export interface InvitationForm {
  readonly action: string;
  readonly csrf: string;
  readonly errors?: FieldErrors | undefined;
}

/** The page for a person without an account; accepting the invitation creates it. */
export function newcomerPage(invited: Invited, { action, csrf, errors }: InvitationForm): Page {
  return invitationPage(
    invited,
    undefined,
    form(
      { action, csrf, errors },
      textField({
        name: 'email',
        label: 'Your e-mail',
        type: 'email',
        autocomplete: 'username',
        value: invited.email,
        readOnly: true,
      }),
      newPasswordField({ label: 'Choose a password', error: errors?.['password'] }),
      actions(button('Join', { primary: true })),
    ),
  );
}

/** The page for a person who has an account and is not signed in. */
export function signInFirstPage(invited: Invited, signIn: string): Page {
  return invitationPage(
    invited,
    undefined,
    el('p', null, `You already have an account. Sign in as ${invited.email} to join.`),
    el('p', { class: 'actions' }, el('a', { class: 'button', href: signIn }, 'Sign in')),
  );
}

export function joinPage(
  invited: Invited,
  person: SignedInPerson,
  { action, csrf, errors }: InvitationForm,
): Page {
  return invitationPage(
    invited,
    person,
    form({ action, csrf, errors }, actions(button('Join', { primary: true }))),
  );
}

/** The page for a person who is signed in with another address. */
export function otherPersonPage(invited: Invited, person: SignedInPerson): Page {
  return invitationPage(
    invited,
    person,
    el(
      'p',
      { class: 'notice' },
      `This invitation is for ${invited.email}, and you are signed in as ${person.email}. ` +
        'Sign out and open the link again, or ask for an invitation to your address.',
    ),
    el(
      'form',
      { method: 'post', action: pagePaths.signOut },
      hiddenFields(person.signOut),
      actions(button('Sign out and continue')),
    ),
  );
}

export function deadInvitationPage(): Page {
  return {
    title: 'This invitation is not valid',
    content: card(
      'This invitation is not valid',
      el(
        'p',
        null,
        'It was already used or withdrawn, it is older than 7 days, or the link is incomplete. Ask the person who invited ' +
          'you for a new invitation.',
      ),
    ),
  };
}

function invitationPage(
  { organization, role }: Invited,
  person: SignedInPerson | undefined,
  ...content: Parameters<typeof card>[1][]
): Page {
  const name = foreignText(organization, 100);
  return {
    title: `Join ${name}`,
    person,
    content: card(
      `Join ${name}`,
      el('p', null, 'You are invited to ', el('strong', null, name), ` as ${withArticle(role)}.`),
      ...content,
    ),
  };
}

function withArticle(role: Role): string {
  return role === 'member' ? 'a member' : `an ${role}`;
}
