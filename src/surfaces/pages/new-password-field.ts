import type { VNode } from 'preact';
import { textField } from './kit/form.ts';

/** As the rule of passwords has it; it judges by length alone (NIST SP 800-63B section 5.1.1.2). */
export function newPasswordField(fault: string | undefined, label = 'New password'): VNode {
  return textField({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 12 characters. A few words are easy to remember and hard to guess.',
    fault,
  });
}
