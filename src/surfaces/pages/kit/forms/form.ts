import type { ComponentChildren, VNode } from 'preact';
import { el } from '../html/element.ts';
import { markSecret } from './secret-fields.ts';

/** Error messages by field name; each is a sentence for people. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface FormView {
  readonly action: string;
  readonly csrf: string;
  /** Other hidden fields. */
  readonly hidden?: Readonly<Record<string, string | undefined>> | undefined;
  /** Errors by field name; `''` is an error of the form as a whole. */
  readonly errors?: FieldErrors | undefined;
}

/** A POST form with its CSRF token, and a summary of errors that links to the fields. */
export function form(view: FormView, ...content: ComponentChildren[]): VNode {
  return el(
    'form',
    { method: 'post', action: view.action, novalidate: true },
    errorSummary(view.errors),
    hiddenFields({ csrf: view.csrf, ...view.hidden }),
    ...content,
  );
}

export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): ComponentChildren {
  return Object.entries(fields).map(
    ([name, value]) => value !== undefined && el('input', { type: 'hidden', name, value }),
  );
}

/**
 * The summary of errors. Screen readers announce it at once (`role=alert`), and it is focused when the page opens.
 */
function errorSummary(errors: FieldErrors = {}): VNode | undefined {
  const entries = Object.entries(errors);
  if (entries.length === 0) return undefined;
  return el(
    'div',
    { class: 'summary', role: 'alert', tabIndex: -1, autofocus: true, 'aria-labelledby': 'summary' },
    el('h2', { id: 'summary' }, 'There is a problem'),
    el(
      'ul',
      null,
      ...entries.map(([name, error]) =>
        el('li', null, name === '' ? error : el('a', { href: `#${name}` }, error)),
      ),
    ),
  );
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

export interface TextField extends Field {
  readonly type: 'text' | 'email' | 'password' | 'search';
  /** The `autocomplete` attribute, by which password managers identify the field. */
  readonly autocomplete: string;
  readonly value?: string | undefined;
  readonly class?: string | undefined;
  readonly readOnly?: boolean;
  /** May be left empty. */
  readonly optional?: boolean;
}

/** A text field with its label, hint and error, which screen readers announce together. A password is a secret. */
export function textField(field: TextField): VNode {
  const { name, label, hint: _hint, error, optional = false, ...input } = field;
  return el(
    'div',
    { class: 'field' },
    el('label', { for: name }, label),
    ...fieldNotes(field),
    input.type === 'password' && markSecret({ name, label, lines: false }),
    el('input', {
      ...input,
      id: name,
      name,
      required: !optional,
      spellcheck: false,
      autocapitalize: 'none',
      'aria-invalid': error === undefined ? undefined : 'true',
      'aria-describedby': describedBy(field),
    }),
  );
}

export interface RadioGroup extends Field {
  readonly choices: readonly { readonly value: string; readonly label: ComponentChildren }[];
  readonly chosen?: string | undefined;
}

/** A group of radio buttons. The first one has the group's name as its id, because error links point to it. */
export function radioGroup(field: RadioGroup): VNode {
  const { name, label, choices, chosen } = field;
  return el(
    'fieldset',
    { 'aria-describedby': describedBy(field) },
    el('legend', null, label),
    ...fieldNotes(field),
    ...choices.map((choice, index) => {
      const id = index === 0 ? name : `${name}-${index + 1}`;
      return el(
        'div',
        { class: 'choice' },
        el('input', {
          type: 'radio',
          id,
          name,
          value: choice.value,
          checked: choice.value === chosen,
          required: true,
        }),
        el('label', { for: id }, choice.label),
      );
    }),
  );
}

export interface Checkbox extends Pick<Field, 'name' | 'label'> {
  readonly checked: boolean;
}

/** A checkbox; submitted as `true` if checked, and not submitted otherwise. */
export function checkbox({ name, label, checked }: Checkbox): VNode {
  return el(
    'div',
    { class: 'choice' },
    el('input', { type: 'checkbox', id: name, name, value: 'true', checked }),
    el('label', { for: name }, label),
  );
}

/** The hint and the error of a field, which `describedBy` connects with it. */
export function fieldNotes({ name, hint, error }: Field): readonly ComponentChildren[] {
  return [
    hint !== undefined && el('span', { class: 'hint', id: `${name}-hint` }, hint),
    error !== undefined && el('span', { class: 'error', id: `${name}-error` }, error),
  ];
}

export function describedBy({ name, hint, error }: Field): string | undefined {
  const ids = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(' ');
}

/** The buttons of a form. The default button must be first, because Enter in a field activates it. */
export function actions(...buttons: ComponentChildren[]): VNode {
  return el('div', { class: 'actions' }, ...buttons);
}

export interface Button {
  readonly name?: string;
  readonly value?: string;
  readonly primary?: boolean;
  /** For what cannot be undone. */
  readonly danger?: boolean;
}

export function button(
  label: string,
  { primary = false, danger = false, ...attributes }: Button = {},
): VNode {
  const look = primary ? 'primary' : danger ? 'danger' : undefined;
  return el('button', { ...attributes, type: 'submit', class: look }, label);
}
