import type { VNode } from 'preact';
import { type TextField, textField } from '../kit/forms/form.ts';

/** A field for a new password. The hint names the only rule, a minimum length (NIST SP 800-63B section 5.1.1.2). */
export function newPasswordField(
  field: Pick<TextField, 'label' | 'error' | 'optional'> & { readonly name?: string },
): VNode {
  return textField({
    name: 'password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 12 characters. A few words are easy to remember and hard to guess.',
    ...field,
  });
}
