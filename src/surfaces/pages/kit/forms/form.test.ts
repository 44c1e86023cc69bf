import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { form, radioGroup, textField } from './form.ts';

const hostile = '"><script>alert(1)</script>';

describe('a form', () => {
  it('uses POST and contains its token', () => {
    const html = renderToString(
      form({ action: '/a', csrf: 'token', hidden: { returnTo: '/b', none: undefined } }),
    );
    expect(html).toContain('<form method="post" action="/a" novalidate>');
    expect(html).toContain('<input type="hidden" name="csrf" value="token"/>');
    expect(html).toContain('<input type="hidden" name="returnTo" value="/b"/>');
    expect(html).not.toContain('none');
    expect(html).not.toContain('role="alert"');
  });

  it('shows the errors first, focused, with links to the fields', () => {
    const html = renderToString(
      form({ action: '/a', csrf: '', errors: { email: 'Enter it.', '': 'Not now.' } }),
    );
    expect(html).toMatch(/<form[^>]*><div class="summary" role="alert" tabindex="-1" autofocus/i);
    expect(html).toContain('<li><a href="#email">Enter it.</a></li><li>Not now.</li>');
  });

  it('associates label, hint and error with the field', () => {
    const html = renderToString(
      textField({
        name: 'email',
        label: 'E-mail',
        hint: 'Yours',
        error: 'Enter it.',
        type: 'email',
        autocomplete: 'username',
      }),
    );
    expect(html).toContain('<label for="email">E-mail</label>');
    expect(html).toContain('aria-describedby="email-hint email-error"');
    expect(html).toMatch(/<input[^>]* autocomplete="username"[^>]* aria-invalid="true"/);
    expect(html).not.toMatch(/<input[^>]* (?:label|hint|error)=/);
  });

  it('marks optional fields', () => {
    const field = { name: 'a', label: '', type: 'text', autocomplete: 'off' } as const;
    expect(renderToString(textField(field))).toMatch(/<input[^>]* required/);
    const optional = renderToString(textField({ ...field, optional: true }));
    expect(optional).not.toMatch(/required|optional/);
  });

  it('groups choices, and checks the chosen one', () => {
    const choices = [
      { value: 'acme', label: 'Acme' },
      { value: 'globex', label: 'Globex' },
    ];
    const html = renderToString(
      radioGroup({ name: 'organization', label: 'Which?', choices, chosen: 'globex' }),
    );
    expect(html).toContain('<legend>Which?</legend>');
    expect(html).toMatch(/id="organization" name="organization" value="acme" required/);
    expect(html).toMatch(/id="organization-2" name="organization" value="globex" checked/);
    expect(renderToString(radioGroup({ name: 'o', label: '', choices }))).not.toContain('checked');
  });

  it('escapes its content', () => {
    const field = { name: 'a', label: hostile, hint: hostile, error: hostile, value: hostile } as const;
    const html = [
      textField({ ...field, type: 'text', autocomplete: 'off' }),
      radioGroup({ ...field, choices: [{ value: hostile, label: hostile }] }),
      form({
        action: hostile,
        csrf: hostile,
        hidden: { [hostile]: hostile },
        errors: { [hostile]: hostile },
      }),
    ].map((node) => renderToString(node));
    for (const part of html) expect(part).not.toContain('<script');
  });
});
