import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { form, radioGroup, textField } from './form.ts';

const hostile = '"><script>alert(1)</script>';

describe('a form', () => {
  it('posts, with its token', () => {
    const html = renderToString(
      form({ action: '/a', csrf: 'token', hidden: { returnTo: '/b', none: undefined } }),
    );
    expect(html).toContain('<form method="post" action="/a" novalidate>');
    expect(html).toContain('<input type="hidden" name="csrf" value="token"/>');
    expect(html).toContain('<input type="hidden" name="returnTo" value="/b"/>');
    expect(html).not.toContain('none');
    expect(html).not.toContain('role="alert"');
  });

  it('says what is wrong first, with the focus, and links it to the field', () => {
    const html = renderToString(
      form({ action: '/a', csrf: '', faults: { email: 'Enter it.', '': 'Not now.' } }),
    );
    expect(html).toMatch(/<form[^>]*><div class="summary" role="alert" tabindex="-1" autofocus/i);
    expect(html).toContain('<li><a href="#email">Enter it.</a></li><li>Not now.</li>');
  });

  it('ties label, hint and fault to the field', () => {
    const html = renderToString(
      textField({
        name: 'email',
        label: 'E-mail',
        hint: 'Yours',
        fault: 'Enter it.',
        type: 'email',
        autocomplete: 'username',
      }),
    );
    expect(html).toContain('<label for="email">E-mail</label>');
    expect(html).toContain('aria-describedby="email-hint email-fault"');
    expect(html).toMatch(/<input[^>]* autocomplete="username"[^>]* aria-invalid="true"/);
    expect(html).not.toMatch(/<input[^>]* (?:label|hint|fault)=/);
  });

  it('says which field may be left empty', () => {
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

  it('escapes whatever stands in it', () => {
    const field = { name: 'a', label: hostile, hint: hostile, fault: hostile, value: hostile } as const;
    const html = [
      textField({ ...field, type: 'text', autocomplete: 'off' }),
      radioGroup({ ...field, choices: [{ value: hostile, label: hostile }] }),
      form({
        action: hostile,
        csrf: hostile,
        hidden: { [hostile]: hostile },
        faults: { [hostile]: hostile },
      }),
    ].map((node) => renderToString(node));
    for (const part of html) expect(part).not.toContain('<script');
  });
});
