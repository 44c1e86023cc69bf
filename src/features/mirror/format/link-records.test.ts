import { describe, expect, it } from 'vitest';
import { linkRecords, relativePath } from './link-records.ts';

const from = 'tracker/issues/ENG/ENG-1.md';

function linked(text: string): string {
  return linkRecords(text, from, (url) => {
    const [, key] = /^https:\/\/tracker\.example\/issue\/(ENG-\d+)$/u.exec(url) ?? [];
    return key === undefined ? undefined : { path: `tracker/issues/ENG/${key}.md`, label: key };
  });
}

const url = 'https://tracker.example/issue/ENG-2';

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
    for (const part of ['`', '``` ', '[', `[${url}](`, `${url}:`, 'https://', '`a``']) {
      expect(linked(part.repeat(20_000)).length).toBeGreaterThan(0);
    }
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
