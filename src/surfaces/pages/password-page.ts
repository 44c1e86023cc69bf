import { actions, button, type Faults, form, textField } from './kit/form.ts';
import { card, type Page, type SignedInPerson } from './kit/layout.ts';
import { newPasswordField } from './new-password-field.ts';

export interface PasswordView {
  readonly action: string;
  readonly csrf: string;
  readonly person: SignedInPerson;
  /** Whether there is one that has to be said first. */
  readonly hasPassword: boolean;
  readonly faults?: Faults | undefined;
}

export const passwordTitles = { set: 'Change your password', none: 'Set a password' } as const;

export function passwordPage({ action, csrf, person, hasPassword, faults }: PasswordView): Page {
  const title = passwordTitles[hasPassword ? 'set' : 'none'];
  return {
    title,
    person,
    content: card(
      title,
      form(
        { action, csrf, faults },
        hasPassword &&
          textField({
            name: 'current',
            label: 'Present password',
            type: 'password',
            autocomplete: 'current-password',
            fault: faults?.['current'],
          }),
        newPasswordField({
          label: 'New password',
          fault: faults?.['password'],
        }),
        actions(button('Save and sign out everywhere else', { primary: true })),
      ),
    ),
  };
}
