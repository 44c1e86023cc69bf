import { actions, button, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import type { SignedInPerson } from '../kit/html/frame.ts';
import { card, type Page } from '../kit/html/layout.ts';
import { newPasswordField } from './new-password-field.ts';

export interface PasswordView {
  readonly action: string;
  readonly csrf: string;
  readonly person: SignedInPerson;
  /** True if the person has a password, which they must enter first. */
  readonly hasPassword: boolean;
  readonly errors?: FieldErrors | undefined;
}

export const passwordTitles = { set: 'Change your password', none: 'Set a password' } as const;

export function passwordPage({ action, csrf, person, hasPassword, errors }: PasswordView): Page {
  const title = passwordTitles[hasPassword ? 'set' : 'none'];
  return {
    title,
    person,
    content: card(
      title,
      form(
        { action, csrf, errors },
        hasPassword &&
          textField({
            name: 'current',
            label: 'Current password',
            type: 'password',
            autocomplete: 'current-password',
            error: errors?.['current'],
          }),
        newPasswordField({
          label: 'New password',
          error: errors?.['password'],
        }),
        actions(button('Save and sign out everywhere else', { primary: true })),
      ),
    ),
  };
}
