import type { VNode } from 'preact';
import { z } from 'zod';
import { el } from '../html/element.ts';

/** Name of the hidden fields that mark the secret fields of a form. */
export const secretMark = 'secret-field';

const secretField = z.object({
  name: z.string().max(100),
  label: z.string().max(200),
  /** True if the secret may have several lines. */
  lines: z.boolean(),
});

/** A field whose value must never be part of a page. */
export type SecretField = z.infer<typeof secretField>;

export const secretFields = z.array(secretField).max(20);

/** The hidden field that marks a secret one. The fields of the kit add it, so that a form cannot lack it. */
export function markSecret({ name, label, lines }: SecretField): VNode {
  return el('input', { type: 'hidden', name: secretMark, value: JSON.stringify({ name, label, lines }) });
}

/** Returns the secret fields that a sent form marks. Damaged marks are ignored. */
export function markedSecrets(form: URLSearchParams): readonly SecretField[] {
  return form.getAll(secretMark).flatMap((text) => {
    try {
      return [secretField.parse(JSON.parse(text))];
    } catch {
      return [];
    }
  });
}
