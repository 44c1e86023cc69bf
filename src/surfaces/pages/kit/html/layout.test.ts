import { describe, expect, it } from 'vitest';
import { card, renderPage } from './layout.ts';

describe('a page', () => {
  const html = renderPage({
    title: 'A & B',
    content: card('Heading', 'text'),
    person: { email: '<b>@example.com', signOut: { csrf: 'token', returnTo: '/x' } },
  });

  it('is a complete document with landmarks and a skip link', () => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain('<title>A &amp; B · orgctx</title>');
    expect(html).toContain('<a class="skip" href="#main">');
    expect(html).toContain('<main id="main"><div class="card"><h1>Heading</h1>text</div></main>');
  });

  it('shows the signed-in person and a sign-out button', () => {
    expect(html).toContain('Signed in as &lt;b>@example.com');
    expect(html).toMatch(/<form method="post" action="\/\.auth\/sign-out">.*value="token".*value="\/x"/);
    expect(renderPage({ title: 'A', content: '' })).not.toContain('sign-out');
  });

  it('contains no inline script or style', () => {
    expect(html).not.toMatch(/<script|<style| style=| on\w+=/i);
    expect(html).toContain('<link rel="stylesheet" href="/.auth/assets/pages.css"/>');
  });
});
