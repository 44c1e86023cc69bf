import type { Role } from '../../features/identity/access/principal.ts';
import { el } from './kit/element.ts';
import { foreignText } from './kit/foreign-text.ts';
import { actions, button, type Faults, form, hiddenFields, textField } from './kit/form.ts';
import { card, type Page, type SignedInPerson } from './kit/layout.ts';
import { newPasswordField } from './new-password-field.ts';
import { pagePaths } from './page-paths.ts';

export interface Invited {
  /** To whom it was sent; nobody else can take it. */
  readonly email: string;
  readonly role: Role;
  readonly organization: string;
}

export interface InvitationForm {
  readonly action: string;
  readonly csrf: string;
  readonly faults?: Faults | undefined;
}

/** For somebody who is new here: the invitation makes their account. */
export function newcomerPage(invited: Invited, { action, csrf, faults }: InvitationForm): Page {
  return invitationPage(
    invited,
    undefined,
    form(
      { action, csrf, faults },
      textField({
        name: 'email',
        label: 'Your e-mail',
        type: 'email',
        autocomplete: 'username',
        value: invited.email,
        readOnly: true,
      }),
      newPasswordField({ label: 'Choose a password', fault: faults?.['password'] }),
      actions(button('Join', { primary: true })),
    ),
  );
}

/** For somebody who has an account and is not signed in. */
export function signInFirstPage(invited: Invited, signIn: string): Page {
  return invitationPage(
    invited,
    undefined,
    el('p', null, `You have an account already: sign in as ${invited.email} to join.`),
    el('p', { class: 'actions' }, el('a', { class: 'button', href: signIn }, 'Sign in')),
  );
}

export function joinPage(
  invited: Invited,
  person: SignedInPerson,
  { action, csrf, faults }: InvitationForm,
): Page {
  return invitationPage(
    invited,
    person,
    form({ action, csrf, faults }, actions(button('Join', { primary: true }))),
  );
}

/** For somebody who is signed in with another address. */
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
      actions(button('Sign out and go on')),
    ),
  );
}

export function deadInvitationPage(): Page {
  return {
    title: 'This invitation is over',
    content: card(
      'This invitation is over',
      el(
        'p',
        null,
        'It has been used or taken back, or it is older than 7 days, or the link is not whole. Ask whoever invited you ' +
          'for another.',
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
