import { describe, expect, it } from 'vitest';
import type { UserId } from '../../../../foundation/kernel/ids.ts';
import { createSealer } from '../../../../foundation/secrets/sealer.ts';
import { isFormKey, newFormKey } from './form-key.ts';
import { formTokens } from './form-tokens.ts';
import type { Visitor } from './visitor.ts';

describe('the token of a form', () => {
  const tokens = formTokens(createSealer('s'.repeat(40), 'orgctx/forms/v1'));
  const ada = visitor('ada', newFormKey());
  const token = tokens.issue(ada, 'interaction 1');

  it('is valid where it was issued', () => {
    expect(tokens.accepts(ada, 'interaction 1', token)).toBe(true);
  });

  it('is valid in the next session of the same person', () => {
    const again = { ...ada, session: { ...visitor('ada', '').session!, hash: 'another' } };
    expect(tokens.accepts(again, 'interaction 1', token)).toBe(true);
  });

  it.each<[string, Visitor, string]>([
    ['another purpose', ada, 'interaction 2'],
    ['another person at that browser', visitor('eve', ada.formKey), 'interaction 1'],
    ['nobody at that browser', { session: undefined, formKey: ada.formKey }, 'interaction 1'],
    ['another browser', visitor('ada', newFormKey()), 'interaction 1'],
  ])('is not valid for %s', (_, other, purpose) => {
    expect(tokens.accepts(other, purpose, token)).toBe(false);
  });

  it.each(['', 'x', `${token}x`, token.slice(1)])('is not %j', (text) => {
    expect(tokens.accepts(ada, 'interaction 1', text)).toBe(false);
  });

  it('depends on the key of this service', () => {
    const others = formTokens(createSealer('o'.repeat(40), 'orgctx/forms/v1'));
    expect(others.accepts(ada, 'interaction 1', token)).toBe(false);
  });

  it('depends on a form key that only the service sets', () => {
    expect(isFormKey(newFormKey())).toBe(true);
    expect(isFormKey('guessed')).toBe(false);
    expect(isFormKey(undefined)).toBe(false);
  });
});

function visitor(name: string, formKey: string): Visitor {
  return { session: { hash: name, userId: name as UserId, email: `${name}@example.com` }, formKey };
}
