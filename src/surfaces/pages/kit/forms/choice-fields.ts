import type { VNode } from 'preact';
import { el } from '../html/element.ts';
import { describedBy, type Field, fieldNotes } from './form.ts';
import { markSecret } from './secret-fields.ts';

export interface SelectField extends Field {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value?: string | undefined;
}

/** A list to choose one value from. */
export function selectField(field: SelectField): VNode {
  const { name, label, options, value, error } = field;
  return el(
    'div',
    { class: 'field' },
    el('label', { for: name }, label),
    ...fieldNotes(field),
    el(
      'select',
      {
        id: name,
        name,
        'aria-invalid': error === undefined ? undefined : 'true',
        'aria-describedby': describedBy(field),
      },
      ...options.map((option) =>
        el('option', { value: option.value, selected: option.value === value }, option.label),
      ),
    ),
  );
}

export interface TextArea extends Field {
  readonly value?: string | undefined;
  /** May be left empty. */
  readonly optional?: boolean;
  /** True for a secret of several lines, such as a key in PEM format. */
  readonly secret?: boolean;
}

/** A field for several lines. */
export function textArea(field: TextArea): VNode {
  const { name, label, value, error, optional = false, secret = false } = field;
  return el(
    'div',
    { class: 'field' },
    el('label', { for: name }, label),
    ...fieldNotes(field),
    secret && markSecret({ name, label, lines: true }),
    el(
      'textarea',
      {
        id: name,
        name,
        rows: 4,
        required: !optional,
        spellcheck: false,
        autocapitalize: 'none',
        'aria-invalid': error === undefined ? undefined : 'true',
        'aria-describedby': describedBy(field),
      },
      secret ? undefined : value,
    ),
  );
}
