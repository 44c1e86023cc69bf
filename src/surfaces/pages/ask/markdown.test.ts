import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { markdown } from './markdown.ts';

function html(text: string, sources: readonly number[] = [1, 2]): string {
  return renderToString(
    h('div', null, ...markdown(text, new Map(sources.map((n) => [n, `source-${n}`])))),
  ).replace(/^<div>|<\/div>$/g, '');
}

describe('the Markdown of an answer', () => {
  it('becomes paragraphs, lists, headings, code and bold text', () => {
    expect(html('One\ntwo **bold `x` [1]**\n\n- a\n- b\n\n## Title\n```ts\nif (a < b) {}\n```')).toBe(
      '<p>One two <strong>bold <code>x</code> <a href="#source-1" aria-label="Source 1">[1]</a></strong></p>' +
        '<ul><li>a</li><li>b</li></ul><h3>Title</h3>' +
        '<pre tabindex="0"><code>if (a &lt; b) {}</code></pre>',
    );
  });

  it.each([
    ['a source that is not cited', 'x [7]', '<p>x [7]</p>'],
    ['a link', '[here](https://evil.example)', '<p>[here](https://evil.example)</p>'],
    ['an image', '![x](https://evil.example/a.png)', '<p>![x](https://evil.example/a.png)</p>'],
    ['HTML', '<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)></p>'],
    ['an escaped character', String.raw`\<b\> \*a\*`, '<p>&lt;b> *a*</p>'],
  ])('shows %s as text', (_, text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it('ends a code block only at its own fence, and shows one that is not closed', () => {
    expect(html('````\n```\n[1]\n````')).toBe('<pre tabindex="0"><code>```\n[1]</code></pre>');
    expect(html('```\nopen')).toBe('<pre tabindex="0"><code>open</code></pre>');
  });
});
