import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { presentScope } from '../../../../features/connectors/connections/connection.ts';
import type { ScopeOption } from '../../../../features/connectors/port.ts';
import { type ChosenOption, keyOf } from '../../../../features/connectors/setup/wizard-choices.ts';
import { maxFormBytes, type Visit } from '../../app/app-page.ts';
import { actions, button, type FieldErrors, form, textField } from '../../kit/forms/form.ts';
import { el } from '../../kit/html/element.ts';
import { foreignText } from '../../kit/html/foreign-text.ts';
import { name, nameText } from '../../kit/html/name.ts';
import { empty } from '../../kit/html/parts.ts';
import { revisionField } from './revision.ts';
import { type Setup, stepPath } from './setup.ts';

export interface ScopePage {
  readonly options: readonly (ScopeOption & { readonly value: string })[];
  readonly nextCursor: string | undefined;
  /** Why the provider listed nothing. */
  readonly problem: string | undefined;
}

/** The form of the scope step; many ticked options make it larger than other forms. */
export const scopeForm = { lists: ['chosen', 'shown'], maxBytes: maxFormBytes } as const;

function keyOfOption({ kind, key, id }: ScopeOption): string {
  return keyOf({ kind, ref: key ?? id });
}

/** Returns the value of the checkbox of an option: what the choices keep of it. */
export function valueOf({ id, kind, key, name: label }: ScopeOption): string {
  return JSON.stringify([kind, key ?? id, nameText(label, 120)]);
}

/**
 * One form has the search, what is chosen already and what can be chosen, so that each button keeps the ticks of the
 * page. Works without script.
 */
export function scopeContent(
  visit: Visit,
  setup: Setup,
  { options, nextCursor, problem }: ScopePage,
  errors: FieldErrors | undefined,
): ComponentChildren {
  const query = visit.query('q');
  const listed = new Map(options.map((option) => [keyOfOption(option), option]));
  const chosen = chosenOptions(setup).map((option) => ({
    ...option,
    name: nameText(listed.get(keyOf(option))?.name ?? option.name, 120),
  }));
  const chosenKeys = new Set(chosen.map(keyOf));
  const further = options.filter((option) => !chosenKeys.has(keyOfOption(option)));
  return [
    el(
      'p',
      null,
      'Choose what is mirrored. Your choices are kept when you search or open another page of the list. Further settings are in the configuration file of the pull request.',
    ),
    current(setup),
    form(
      {
        ...visit.form(stepPath(setup, 'scope')),
        hidden: { ...revisionField(setup), next: nextCursor },
        errors,
      },
      textField({
        name: 'q',
        label: 'Part of the name',
        type: 'search',
        autocomplete: 'off',
        optional: true,
        value: query,
      }),
      actions(button('Search', { name: 'to', value: 'search' })),
      problem !== undefined && el('p', { class: 'notice', role: 'status' }, foreignText(problem, 1_000)),
      chosen.length > 0 && choiceGroup(`Chosen (${chosen.length})`, 'c', chosen.map(chosenOption)),
      further.length > 0
        ? choiceGroup(
            query === undefined ? 'Can be chosen' : `Found for “${foreignText(query, 100)}”`,
            'o',
            further.map((option) => ({ value: option.value, label: labelOf(option), checked: false })),
          )
        : problem === undefined && empty(el('p', null, 'Nothing more to choose here.')),
      actions(
        button('Save and continue', { primary: true, name: 'to', value: 'continue' }),
        nextCursor !== undefined && button('Save and show more', { name: 'to', value: 'more' }),
      ),
    ),
  ];
}

function current({ connection }: Setup): VNode | false {
  const scope = presentScope(connection);
  if (scope === undefined) return false;
  return el(
    'details',
    null,
    el('summary', null, 'Present scope'),
    el('pre', { tabIndex: 0 }, el('code', null, JSON.stringify(scope, undefined, 2))),
  );
}

/** Returns what was chosen in the wizard; before that, what the present scope names. */
export function chosenOptions({ choices, connection, connector }: Setup): readonly ChosenOption[] {
  const scope = presentScope(connection);
  if (choices.options.length > 0 || scope === undefined) return choices.options;
  return Object.entries(connector.configuration.flags).flatMap(([kind, { scopeOf }]) =>
    // The flag names the lists that its values are in.
    Object.keys(scopeOf([]))
      .flatMap((list) => namedItems.catch([]).parse(scope[list]))
      .map((item) => ({ kind, ...item })),
  );
}

/** The items of a list of a scope: `ENG` or `{ id: PS1, name: Shop }`. */
const namedItems = z.array(
  z.union([
    z.string().transform((ref) => ({ ref, name: ref })),
    z
      .object({ id: z.string(), name: z.string().optional() })
      .transform(({ id, name: label }) => ({ ref: id, name: label ?? id })),
  ]),
);

interface Choice {
  readonly value: string;
  readonly label: ComponentChildren;
  readonly checked: boolean;
}

function choiceGroup(legend: string, prefix: string, items: readonly Choice[]): VNode {
  return el(
    'fieldset',
    null,
    el('legend', null, legend),
    ...items.map(({ value, label, checked }, index) =>
      el(
        'div',
        { class: 'choice' },
        el('input', { type: 'checkbox', id: `${prefix}${index}`, name: 'chosen', value, checked }),
        el('input', { type: 'hidden', name: 'shown', value }),
        el('label', { for: `${prefix}${index}` }, label),
      ),
    ),
  );
}

function chosenOption({ kind, ref, name: label }: ChosenOption): Choice {
  return {
    value: JSON.stringify([kind, ref, label]),
    label: [name(label), reference(ref, label)],
    checked: true,
  };
}

function labelOf({ name: label, key, description }: ScopeOption): ComponentChildren {
  return [
    name(label, 120),
    reference(key ?? '', label),
    description !== undefined && el('span', { class: 'quiet' }, ` ${foreignText(description, 120)}`),
  ];
}

function reference(ref: string, label: string): ComponentChildren {
  return ref !== '' && ref !== label && el('span', { class: 'quiet' }, ` (${foreignText(ref, 60)})`);
}
