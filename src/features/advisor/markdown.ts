import { visibleText } from '../../foundation/kernel/visible-text.ts';

/** Third-party text inside our Markdown: it must neither end its quotation nor add links, images or markup. */

/** As inline code on one line. Backticks cannot be escaped in there, so they become apostrophes. */
export function inlineCode(text: string): string {
  return `\`${visibleText(text).replaceAll('`', "'").replaceAll(/\s+/gu, ' ').trim()}\``;
}

/** As plain words on one line: what could be markup is escaped, and an address is code, so that it is no link. */
export function plainText(text: string): string {
  const pieces = visibleText(text)
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .split(/((?:\b[a-z]{2,10}:\/\/|\bwww\.)[^\s<>`]+)/iu);
  return pieces.map((piece, index) => (index % 2 === 1 ? inlineCode(piece) : escaped(piece))).join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()<>#!|~]/gu, String.raw`\$&`);
}

/** As a fenced block. The fence is longer than any run of backticks inside, so nothing in it can close it. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${fenceTag(language)}\n${text}\n${fence}`;
}

const tags: Readonly<Record<string, string>> = {
  'C#': 'csharp',
  'C++': 'cpp',
  'F#': 'fsharp',
  'JSON with Comments': 'jsonc',
  'Objective-C': 'objectivec',
  'Protocol Buffer': 'proto',
  Shell: 'sh',
  Text: '',
  'Vim Script': 'vim',
  reStructuredText: 'rst',
};

/** The tag that highlighters know, from linguist's name. */
function fenceTag(language: string): string {
  const tag = Object.hasOwn(tags, language) ? tags[language] : language.toLowerCase();
  return tag !== undefined && /^[a-z0-9+-]*$/u.test(tag) ? tag : '';
}
