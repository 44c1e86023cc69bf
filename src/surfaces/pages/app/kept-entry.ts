import type { VNode } from 'preact';
import { z } from 'zod';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { textArea } from '../kit/forms/choice-fields.ts';
import { actions, button, hiddenFields, textField } from '../kit/forms/form.ts';
import { markedSecrets, type SecretField, secretFields, secretMark } from '../kit/forms/secret-fields.ts';
import { el } from '../kit/html/element.ts';
import { card, type Page } from '../kit/html/layout.ts';
import type { FormTokens } from '../kit/requests/form-tokens.ts';
import { ownPath } from '../kit/requests/own-path.ts';
import type { Visitor } from '../kit/requests/visitor.ts';
import { formPurpose } from './form-purpose.ts';

/** A form that was sent after the session had ended. The sign-in page carries it, so nothing is stored. */
export interface KeptEntry {
  readonly action: string;
  /** The encoded fields, with the token of the form and without secrets. */
  readonly body: string;
  /** The secret fields that were filled. Their values are not kept, because a page must not contain them. */
  readonly secrets: readonly SecretField[];
}

const keptEntry = z.object({ action: z.string(), body: z.string(), secrets: secretFields });

/** Maximum size of the field of a kept entry, in bytes. A form that is larger is not kept. */
export const maxEntryBytes = 48 * 1024;

/** Returns what is kept of a form: everything but secrets. */
export function entryOf(action: string, form: URLSearchParams): KeptEntry {
  const marked = markedSecrets(form);
  const dropped = new Set([secretMark, ...marked.map(({ name }) => name)]);
  return {
    action,
    body: new URLSearchParams([...form].filter(([name]) => !dropped.has(name))).toString(),
    secrets: marked.filter(({ name }) => form.getAll(name).some((value) => value !== '')),
  };
}

/** Returns the field of the sign-in form that carries a kept entry. */
export function entryField(entry: KeptEntry): string {
  return Buffer.from(JSON.stringify(entry)).toString('base64url');
}

/**
 * Returns the person who entered what is kept; `undefined` if the entry is too large, or not of a form of this
 * service, of a signed-in person and of this browser, which its token shows.
 */
export function personOfEntry(
  entry: KeptEntry,
  visitor: Pick<Visitor, 'formKey'>,
  tokens: FormTokens,
): UserId | undefined {
  const { action, body } = entry;
  if (ownPath(action, '') !== action || entryField(entry).length > maxEntryBytes) return undefined;
  return tokens.personOf(visitor, formPurpose(action), new URLSearchParams(body).get('csrf') ?? '');
}

/** Reads the field of a kept entry; `undefined` if it is absent or damaged. */
export function readEntry(text: string | undefined): KeptEntry | undefined {
  if (text === undefined) return undefined;
  try {
    return keptEntry.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

/** The form that sends a kept entry again. Secrets must be entered again. */
export function resendForm({ action, body, secrets }: KeptEntry, discardPath?: string): VNode {
  return el(
    'form',
    { method: 'post', action },
    [...new URLSearchParams(body)].map(([name, value]) => hiddenFields({ [name]: value })),
    ...secrets.map(secretInput),
    actions(
      button('Send what you entered', { primary: true }),
      discardPath !== undefined && el('a', { class: 'button', href: discardPath }, 'Discard it'),
    ),
  );
}

function secretInput({ name, label, lines }: SecretField): VNode {
  const common = { name, label, hint: 'Enter it again: secrets are not kept.' };
  if (lines) return textArea({ ...common, secret: true });
  return textField({ ...common, type: 'password', autocomplete: 'off' });
}

/** The page that offers to send a kept entry after the person has signed in again. */
export function resumePage(entry: KeptEntry, returnTo: string): Page {
  return {
    title: 'Signed in again',
    content: card(
      'Signed in again',
      el(
        'p',
        null,
        'Your session had ended before the form arrived. What you entered is kept, but not saved yet.',
      ),
      resendForm(entry, returnTo),
    ),
  };
}
