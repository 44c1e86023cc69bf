import { describe, expect, it } from 'vitest';
import { linkRecords, relativePath } from './link-records.ts';

const from = 'tracker/issues/ENG/ENG-1.md';

function linked(text: string): string {
  return linkRecords(text, from, (address) => {
    if (address === paren) return { path: 'tracker/issues/ENG/W.md', label: 'W' };
    const [, key] = /^https:\/\/tracker\.example\/issue\/(ENG-\d+)$/u.exec(address) ?? [];
    return key === undefined ? undefined : { path: `tracker/issues/ENG/${key}.md`, label: key };
  });
}

const url = 'https://tracker.example/issue/ENG-2';
const paren = 'https://tracker.example/wiki/a_(b_(c))_(d)/e';

describe('linkRecords', () => {
  it.each([
    ['an address', `See ${url}.`, 'See [ENG-2](ENG-2.md).'],
    ['an address in angle brackets', `<${url}>`, '[ENG-2](ENG-2.md)'],
    ['an address in brackets', `(${url})`, '([ENG-2](ENG-2.md))'],
    ['the target of a link', `[the [other] one](${url} "title")`, '[the [other] one](ENG-2.md "title")'],
    ['the target of a link in angle brackets', `[a](<${url}>)`, '[a](<ENG-2.md>)'],
    ['the definition of a link', `[1]: ${url}`, '[1]: ENG-2.md'],
    ['the definition of a link in angle brackets', `[1]: <${url}>`, '[1]: <ENG-2.md>'],
    ['an attribute', `<a href="${url}">`, '<a href="ENG-2.md">'],
    [
      'an address with parentheses',
      `See ${paren} and [a](${paren}) (${paren}) <${paren}>`,
      'See [W](W.md) and [a](W.md) ([W](W.md)) [W](W.md)',
    ],
    ['the target of a link in parentheses', `([a](${paren}))`, '([a](W.md))'],
    ['an address before an unopened parenthesis', `(see ${url}) b)`, '(see [ENG-2](ENG-2.md)) b)'],
    ['several addresses', `${url} ${url}`, '[ENG-2](ENG-2.md) [ENG-2](ENG-2.md)'],
    ['an address after an unclosed backquote', `a \` b ${url}`, 'a ` b [ENG-2](ENG-2.md)'],
    ['an address after code', `\`a\` ${url}`, '`a` [ENG-2](ENG-2.md)'],
    ['an address after a block of code', `~~~\n\`\`\`\n~~~~\n${url}`, '~~~\n```\n~~~~\n[ENG-2](ENG-2.md)'],
  ])('replaces %s', (_, text, expected) => {
    expect(linked(text)).toBe(expected);
    expect(linked(expected)).toBe(expected);
  });

  it.each([
    ['an address that leads to no mirrored file', 'https://tracker.example/issue/OPS-1'],
    ['a longer address', `${url}/comments`],
    ['code', `\`${url}\` and \`\`a \` ${url}\`\``],
    ['a block of code', `- \`\`\`sh\n  curl ${url}\n  \`\`\``],
    ['a block of code that is not closed', `~~~\n${url}\n\`\`\`\n${url}`],
    ['the text of a link', `[${url}](https://elsewhere.example)`],
  ])('keeps %s', (_, text) => {
    expect(linked(text)).toBe(text);
  });

  it('takes linear time', () => {
    for (const part of [
      '`',
      '``` ',
      '[',
      `[${url}](`,
      `${url}:`,
      'https://',
      '`a``',
      'https://x(',
      'https://x((y)',
      'https://(((',
      '(a)https://(',
    ]) {
      expect(linked(part.repeat(20_000)).length).toBeGreaterThan(0);
    }
  });
});

describe('the note of a file that was not copied', () => {
  const stub = { path: 'tracker/issues/ENG/assets/ENG-1/a.txt', label: 'a.txt', missing: 'too large' };
  const noted = (text: string) =>
    linkRecords(text, from, (address) =>
      address === url ? stub : address === paren ? { path: 'x/b.png', label: 'b.png' } : undefined,
    );

  it.each([
    ['an image', `a ![x [y]](${url}) b`, 'a [x [y]](assets/ENG-1/a.txt "not copied: too large") b'],
    ['an image with a title', `![x](<${url}> "t")`, '[x](<assets/ENG-1/a.txt> "t")'],
    ['a link', `[x](${url})`, '[x](assets/ENG-1/a.txt "not copied: too large")'],
    [
      'an image inside a link',
      `[![x](${url})](${url})`,
      `[![x](assets/ENG-1/a.txt "not copied: too large")](assets/ENG-1/a.txt "not copied: too large")`,
    ],
    [
      'an image beside a copied one',
      `![x](${paren})![y](${url})`,
      '![x](../../../x/b.png)[y](assets/ENG-1/a.txt "not copied: too large")',
    ],
    ['an address alone', url, '[a.txt](assets/ENG-1/a.txt "not copied: too large")'],
    ['an element', `<img src="${url}">`, '<img src="assets/ENG-1/a.txt" title="not copied: too large">'],
    ['a definition', `[x]: ${url}`, '[x]: assets/ENG-1/a.txt "not copied: too large"'],
  ])('stands in the place of %s', (_, text, expected) => {
    expect(noted(text)).toBe(expected);
  });
});

describe('relativePath', () => {
  it.each([
    ['tracker/issues/OPS/OPS-1.md', '../OPS/OPS-1.md'],
    ['tracker/issues/ENG/assets/ENG-1/a.png', 'assets/ENG-1/a.png'],
    ['oncall/incidents/2025/01/Q1.md', '../../../oncall/incidents/2025/01/Q1.md'],
    ['tracker/users.yaml', '../../users.yaml'],
  ])('leads to %s', (to, path) => {
    expect(relativePath(from, to)).toBe(path);
  });
});
