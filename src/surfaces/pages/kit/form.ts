import type { ComponentChildren, VNode } from 'preact';
import { el } from './element.ts';

/** What is wrong with one field, by its name; the sentence is for people. */
export type Faults = Readonly<Record<string, string>>;

export interface FormView {
  readonly action: string;
  readonly csrf: string;
  /** Other hidden fields. */
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  /** Fields by name; `''` is a fault of the form as a whole. */
  readonly faults?: Faults | undefined;
}

/** A form that posts, with what is wrong said above it, linked to the fields, and its token against forgery. */
export function form(view: FormView, ...content: ComponentChildren[]): VNode {
  return el(
    'form',
    { method: 'post', action: view.action, novalidate: true },
    errorSummary(view.faults),
    hiddenFields({ csrf: view.csrf, ...view.hidden }),
    ...content,
  );
}

export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): ComponentChildren {
  return Object.entries(fields).map(
    ([name, value]) => value !== undefined && el('input', { type: 'hidden', name, value }),
  );
}

/** Announced at once (`role=alert`), and focused when the page opens, so that nobody has to look for it. */
function errorSummary(faults: Faults = {}): VNode | undefined {
  const entries = Object.entries(faults);
  if (entries.length === 0) return undefined;
  return el(
    'div',
    { class: 'summary', role: 'alert', tabIndex: -1, autofocus: true, 'aria-labelledby': 'summary' },
    el('h2', { id: 'summary' }, 'There is a problem'),
    el(
      'ul',
      null,
      ...entries.map(([name, fault]) =>
        el('li', null, name === '' ? fault : el('a', { href: `#${name}` }, fault)),
      ),
    ),
  );
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
}

export interface TextField extends Field {
  readonly type: 'text' | 'email' | 'password';
  /** HTML's `autocomplete`, by which password stores know the field. */
  readonly autocomplete: string;
  readonly value?: string | undefined;
  readonly class?: string | undefined;
  readonly readOnly?: boolean;
  /** May be left empty. */
  readonly optional?: boolean;
}

/** One line of text with its label, hint and fault, which screen readers hear together. */
export function textField(field: TextField): VNode {
  const { name, label, hint, fault, optional = false, ...input } = field;
  return el(
    'div',
    { class: 'field' },
    el('label', { for: name }, label),
    hint !== undefined && el('span', { class: 'hint', id: `${name}-hint` }, hint),
    fault !== undefined && el('span', { class: 'fault', id: `${name}-fault` }, fault),
    el('input', {
      ...input,
      id: name,
      name,
      required: !optional,
      spellcheck: false,
      autocapitalize: 'none',
      'aria-invalid': fault === undefined ? undefined : 'true',
      'aria-describedby': describedBy(field),
    }),
  );
}

export interface RadioGroup extends Field {
  readonly choices: readonly { readonly value: string; readonly label: ComponentChildren }[];
  readonly chosen?: string | undefined;
}

/** One of several, each with its own label. The first has the group's name as its id, where faults link to. */
export function radioGroup(field: RadioGroup): VNode {
  const { name, label, hint, fault, choices, chosen } = field;
  return el(
    'fieldset',
    { 'aria-describedby': describedBy(field) },
    el('legend', null, label),
    hint !== undefined && el('span', { class: 'hint', id: `${name}-hint` }, hint),
    fault !== undefined && el('span', { class: 'fault', id: `${name}-fault` }, fault),
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

/** Sent as `true`, or not at all. */
export function checkbox({ name, label, checked }: Checkbox): VNode {
  return el(
    'div',
    { class: 'choice' },
    el('input', { type: 'checkbox', id: name, name, value: 'true', checked }),
    el('label', { for: name }, label),
  );
}

function describedBy({ name, hint, fault }: Field): string | undefined {
  const ids = [hint !== undefined && `${name}-hint`, fault !== undefined && `${name}-fault`].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(' ');
}

/** The buttons of a form, the usual one first: Enter in a field presses it. */
export function actions(...buttons: ComponentChildren[]): VNode {
  return el('div', { class: 'actions' }, ...buttons);
}

export interface Button {
  readonly name?: string;
  readonly value?: string;
  readonly primary?: boolean;
}

export function button(label: string, { primary = false, ...attributes }: Button = {}): VNode {
  return el('button', { ...attributes, type: 'submit', class: primary ? 'primary' : undefined }, label);
}
