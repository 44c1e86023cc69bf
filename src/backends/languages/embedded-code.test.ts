import { expect, it } from 'vitest';
import { languages } from './port.ts';

const open = '<script>';
const code = 'const a = 1;';

it.each([
  ['a script', `${open}\n${code}\n</script>`, [`\n${code}\n`]],
  ['several scripts', `<script module>a</script>${open}b</SCRIPT >`, ['a', 'b']],
  ['a tag with a character that ends a tag', `<script generic="T extends A<'b'>">a</script>`, ['a']],
  ['a script without an end', `${open}a`, ['a']],
  [
    'types of scripts',
    `<script type="module">a</script><script type='text/javascript'>b</script>`,
    ['a', 'b'],
  ],
  ['data', '<script type="application/ld+json">{}</script><script lang="coffee">a</script>', []],
  ['an empty script before another', `<script src="./a.ts" />${open}b</script>`, ['b']],
  ['a comment', `<!-- ${open}a</script> -->${open}b</script>`, ['b']],
  ['a comment without an end', `<!-- ${open}a</script>`, []],
  ['a tag without an end', '<script lang="ts', []],
  ['another element', '<scripted>a</scripted>', []],
])('of a component with %s, only the scripts are read, on their lines', (_, text, scripts) => {
  expect(codeOf('Vue', text)).toBe(kept(text, scripts));
});

it.each([
  ['front matter', `\n---\na\n--- \n<p>---</p>\n${open}b</script>`, ['\na', 'b']],
  ['no end of its front matter', `---\na ${open}b</script>`, ['b']],
  ['no front matter', `<p>\n---\na\n---\n</p>`, []],
])('of an Astro component with %s, only the scripts are read', (_, text, scripts) => {
  expect(codeOf('Astro', text)).toBe(kept(text, scripts));
});

const python = { language_info: { name: 'python' } };

it.each([
  ['lines', [{ cell_type: 'code', source: ['a\n', '\n', 'b'] }], ['a', '', 'b']],
  ['one text', [{ cell_type: 'code', source: 'a\nb' }], ['a', 'b']],
  ['parts of a line', [{ cell_type: 'code', source: ['a', ' = 1'] }], ['a = 1']],
  ['the type at its end', [{ source: ['a'], cell_type: 'code' }], ['a']],
  ['escaped text', [{ cell_type: 'code', source: ['"\\"é\t'] }], ['"\\"é\t']],
  ['words', [{ cell_type: 'markdown', source: ['a'] }], []],
  ['output', [{ cell_type: 'code', outputs: [{ source: ['b'], text: ['"{'] }], source: ['a'] }], ['a']],
  [
    'commands',
    [{ cell_type: 'code', source: ['%matplotlib\n', 'if a:\n', '  !ls'] }],
    ['pass', 'if a:', '  pass'],
  ],
  ['another language', [{ cell_type: 'code', source: ['%%bash\n', 'a() { :; }'] }], []],
  ['measured time', [{ cell_type: 'code', source: ['%%time\n', 'a'] }], ['pass', 'a']],
])('of a notebook, a cell with %s is read', (_, cells, lines) => {
  expect(codeOf('Jupyter Notebook', JSON.stringify({ cells, metadata: python })).split('\n')).toEqual(
    lines.length === 0 ? [''] : lines,
  );
});

it('of a notebook, each line is known', () => {
  const cells = [
    { cell_type: 'markdown', source: ['words'] },
    { cell_type: 'code', source: ['a\n', 'b'] },
    { cell_type: 'code', source: ['c'] },
  ];
  const json = JSON.stringify({ cells }, undefined, 1);
  const written = json.split('\n');
  const { lines } = languages.get('Jupyter Notebook')!.codeIn!(json);
  expect(lines?.map((line) => written[line - 1]?.trim())).toEqual(['"a\\n",', '"b"', '"c"']);
});

it('of a notebook with numbers as keys, each line is known', () => {
  const json = `{"metadata": {"2": "two",
"1": "one"}, "cells": [{"cell_type" : "code",
"source": ["a"]}, {"cell_type": "code",
"source": ["two"]}]}`;
  expect(languages.get('Jupyter Notebook')!.codeIn!(json)).toEqual({ text: 'a\ntwo', lines: [3, 4] });
});

it.each(['{"cells": [{"cell_type": "code", "source": ["a', '['.repeat(100_000), '"'.repeat(100_001), ']}]}'])(
  'text that is no notebook has no code: %.20s',
  (json) => {
    expect(codeOf('Jupyter Notebook', json)).toBe('');
  },
);

it('of a notebook in another language, nothing is read', () => {
  const cells = [{ cell_type: 'code', source: ['a <- 1'] }];
  const metadata = { language_info: { name: 'R' } };
  expect(codeOf('Jupyter Notebook', JSON.stringify({ cells, metadata }))).toBe('');
});

it.each([
  ['Vue', '<script>'],
  ['Vue', '<script '],
  ['Vue', '<script lang="'],
  ['Vue', '<!--'],
  ['Vue', "<script></script type='"],
  ['Astro', '\n---'],
  ['Jupyter Notebook', '{"cells":[{"source":["'],
  ['Jupyter Notebook', '\\"'],
])('of %s, 1 MB of %s is read in linear time', (language, part) => {
  expectShort(language, part.repeat(1_000_000 / part.length));
});

it('of a notebook, texts are read in linear time in any order of keys', () => {
  const [texts, rest] = ['"\\"a",'.repeat(5_000), '\\"'.repeat(250_000)];
  expectShort('Jupyter Notebook', `{"2": [${texts}"a"], "1": "b", "3": "${rest}"}`);
});

function expectShort(language: string, text: string): void {
  const started = process.cpuUsage();
  codeOf(language, text);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
}

function codeOf(language: string, text: string): string {
  return languages.get(language)!.codeIn!(text).text;
}

/** Returns the text up to the last of some parts, with blanks between them. */
function kept(text: string, parts: readonly string[]): string {
  let at = 0;
  let shown = '';
  for (const part of parts) {
    const start = text.indexOf(part, text.indexOf(part.startsWith('\n') ? '\n' : '>', at));
    shown += text.slice(at, start).replaceAll(/[^\n]/g, ' ') + part;
    at = start + part.length;
  }
  return shown;
}
