import { describe, expect, it } from 'vitest';
import { AnswerCleaner } from './answer-cleaner.ts';
import { AnswerText } from './answer-text.ts';
import { IssuedSources } from './issued-sources.ts';

function threeSources(): IssuedSources {
  const issued = new IssuedSources();
  for (const n of [1, 2, 3]) {
    issued.issue({
      kind: 'code',
      address: `a/x${n}:1-2`,
      uri: `ctx://repo/a/file/x${n}?ref=1#L1-L2`,
      url: `https://ctx.example/${n}`,
      title: `x${n}`,
      excerpt: 'See https://quoted.example/x for more.',
      reason: '',
    });
  }
  return issued;
}

function cleaned(text: string): string {
  const cleaner = new AnswerCleaner(threeSources());
  return text
    .split('\n')
    .map((line) => cleaner.clean(line))
    .join('\n');
}

/** Returns the pieces in which people see a text that arrives in pieces. Without a citation, it would be held back. */
function shown(text: string, size: number): readonly string[] {
  const pieces: string[] = [];
  const answer = new AnswerText(threeSources(), 1_000_000, (piece) => void pieces.push(piece));
  const cited = `[1]\n${text}`;
  for (let at = 0; at < cited.length; at += size)
    answer.take({ kind: 'text', text: cited.slice(at, at + size) });
  answer.endTurn(false);
  expect(answer.shown).toBe(pieces.join(''));
  return pieces;
}

const cases: readonly (readonly [string, string])[] = [
  // Citations get the numbers of their first mention.
  ['In `a.ts` [2], and [1, 3]. Again [2].', 'In `a.ts` [1], and [2][3]. Again [1].'],
  ['All [1-3].', 'All [1][2].'],
  ['Not issued [99] here[0], nor [1, 99].', 'Not issued   here , nor [1].'],
  // Brackets are text, and what they would link to is the citation of its source.
  [
    'See [the docs](https://evil.example/c?q=1 "t") first [1]',
    'See `[the` `docs](link removed` "t") first [1]',
  ],
  [
    'A [link](https://ctx.example/2) and <ctx://repo/a/file/x3?ref=1#L1-L2>.',
    'A `[link](link removed`) and `<link removed>`.',
  ],
  [
    'Proven by [7](https://evil.example) and [1](https://evil.example)',
    'Proven by  (`link removed`) and [1] (`link removed`)',
  ],
  ['[a [b](x) c](https://evil) end', '`[a` `[b](x`) `c](link removed`) end'],
  ['[x][1] and [y][z]\n[z]: https://evil.example', '`[x]`[1] and `[y][z]`\n`[z]`: `link removed`'],
  [
    '[1]: https://evil.example/r\n- [2]: <https://evil.example>',
    '[1] : `link removed`\n- [2] : `<link removed>`',
  ],
  ['Text [1]: so', 'Text [1] : so'],
  // Markup after a citation, or on another line, makes no link of it.
  ['[1]<b>: /evil', '[1]`<b>`: /evil'],
  ['[1][99]: /evil', '[1] : /evil'],
  ['[1](/evil "(")', '[1] (/evil "(")'],
  ['[1](\n/evil) !<b>[1](\n/evil)', '[1] (\n/evil) `!<b>`[1] (\n/evil)'],
  [
    'a [1]<b>(/evil) [[1]](x)(/evil) [a [1]](x)(/evil)',
    'a [1]`<b>(/evil`) `[`[1]`](x)(/evil`) `[a` [1]`](x)(/evil`)',
  ],
  // A backslash before a bracket hides it only until it is removed.
  ['![1]\\(//%65vil%2Eexample/p) [1]\\\\\\(/e)', '![1]`\\(//%65vil%2Eexample/p`) [1]`\\\\\\(/e`)'],
  ['[1][99]\\(/e) [1-2]\\(/e)', '[1] `\\(/e`) [1][2]`\\(/e`)'],
  // A source with a colon after its address would say where all citations of it lead.
  [
    'https://ctx.example/1: /evil\n> ctx://repo/a/file/x1?ref=1#L1-L2:\n/evil',
    '`link removed`: /evil\n> `link removed`:\n/evil',
  ],
  ['See !<b>[1].\n\nhttps://ctx.example/1: //evil', 'See `!<b>`[1].\n\n`link removed`: `//evil`'],
  // A citation that is removed joins no entity.
  [
    'https&#58[99];//evil&#46[99];x a&commat<b>;evil&period<b>;com',
    '`https&#58` `;//evil&#46` ;x `a&commat<b>;evil&period<b>;com`',
  ],
  // Addresses.
  ['Go to https://evil.example/now, www.evil.example.', 'Go to `link removed`, `link removed`.'],
  ['Or //evil.example/now; not // this', 'Or `link removed`; not // this'],
  ['It is at https://ctx.example/1.', 'It is at `link removed`.'],
  ['Mail a@evil.example!', 'Mail `a@evil.example`!'],
  ['www\\.evil.example and a\\@evil.example', '`www\\.evil.example` and `a\\@evil.example`'],
  ['&#104;ttps://evil.example &lt;b&gt; R&D', '`&#104;link removed` `&lt;b&gt`; `R&D`'],
  ['`https://quoted.example/x` `https://evil.example`', '`https://quoted.example/x` `link removed`'],
  // Emphasis or a digit before an address does not hide it.
  ['_https://evil.example/?q=x_ __https://evil.example__', '_`link removed`_ __`link removed`__'],
  ['_www.evil.example/login_ 1www.evil.example', '_`link removed`_ `1link removed`'],
  ['1https://evil.example *https://evil.example*', '`1link removed` *`link removed`*'],
  ['~~https://evil.example/x~~ _//evil.example/x_', '~~`link removed`~~ _`link removed`_'],
  ['`_https://evil.example` `1www.evil.example`', '`_link removed` `1link removed`'],
  ['www\\\u200B.evil.example or www\\\\.evil.example', '`www\\.evil.example` or `www\\\\.evil.example`'],
  // Addresses without a scheme or with half of one: no client may make them links.
  ['Go to evil.example, or evil.example/a?b=c.', 'Go to `evil.example`, or `evil.example/a?b=c`.'],
  ['(evil.example) **evil.example** _evil.example_', '(`evil.example`) **`evil.example`** _`evil.example`_'],
  [
    'https:/evil.example http:evil.example HTTPS:///evil.example',
    '`link removed` `link removed` `link removed`',
  ],
  [
    '`https:/evil.example` [x](https:/evil.example) <https:/evil.example>',
    '`link removed` `[x](link removed`) `<link removed>`',
  ],
  [
    '[x](//evil.example) [y](https:\\\\evil.example) <//evil.example>',
    '`[x](link removed`) `[y](link removed`) `<link removed>`',
  ],
  ['https:\\\\evil.example or //evil/x', '`link removed` or `//evil/x`'],
  ['i❤.example', '`i❤.example`'],
  ['xn--e1afmkfd.xn--p1ai пример.рф 終わり。次', '`xn--e1afmkfd.xn--p1ai` `пример.рф` 終わり。次'],
  ['e\u200Bvil.example evil\\.example 203.0.113.9:80', '`evil.example` `evil\\.example` `203.0.113.9:80`'],
  ['&#119;ww.evil.example evil.example&#47;x', '`&#119;ww.evil.example` `evil.example&#47;x`'],
  [
    'In src/a_b/c.ts, e.g. version 1.2.3 of 1.5GB, i.e. a...',
    'In `src/a_b/c.ts`, e.g. version 1.2.3 of 1.5GB, i.e. a...',
  ],
  ['| evil.example | `evil.example` |', '| `evil.example` | `evil.example` |'],
  // Schemes without slashes, which clients open in other programs.
  ['tel:+123, sms:123 _mailto:a%40b.c_', '`tel:+123`, `sms:123` _`mailto:a%40b.c`_'],
  ['(vscode:x) slack:x. magnet:?xt=1 ms-word:ofe', '(`vscode:x`) `slack:x`. `magnet:?xt=1` `ms-word:ofe`'],
  [
    'javascript:alert(1) javascript:(alert(1)) TEL:1',
    '`javascript:alert(1`) `javascript:(alert(1`)) `TEL:1`',
  ],
  ['news:evil tel\\:1 1tel:1 xhttps:evil', '`news:evil` `tel\\:1` `1tel:1` `xhttps:evil`'],
  ['At path.ts:12, std::vector or key:value', 'At `path.ts:12`, `std::vector` or `key:value`'],
  [
    'Note: at 12:30, a:b, C:D, **Result:** 1 (ratio 3:1)',
    'Note: at 12:30, a:b, C:D, **Result:** 1 (ratio 3:1)',
  ],
  // Dots of other scripts.
  ['evil。example evil．com evil｡com/x', '`evil。example` `evil．com` `evil｡com/x`'],
  ['終わり。次の文です。Node は', '終わり。次の文です。Node は'],
  // Images and HTML.
  ['![logo](https://evil.example/p.png) after', '`![logo](link removed`) after'],
  ['[![i](https://evil.example/p.png)](https://evil.example) after', '`[![i](link removed`) after'],
  ['a <img src="https://e/x>" onerror="a"> b', 'a `<img` `src="link removed>`" onerror="a"> b'],
  ['<script>alert(1)</script> w<b>ww.evil.example', '`<script>alert(1)</script>` `w<b>ww.evil.example`'],
  ['a <!-- hidden > [1] --> b', 'a `<!--` hidden > [1] --> b'],
  ['<a href=x>text</a> 1 < 2 > 0', '`<a` `href=x>text</a>` 1 `<` 2 > 0'],
  ['the <b>bold</b> word, a [99]b', 'the `<b>bold</b>` word, a  b'],
  // Code.
  ['``a`b`` and `c`', '`ab` and `c`'],
  ['```ts\nconst a = b[0];\n\n<b>\n```\nDone [1].', '`const a = b[0];`\n \n`<b>`\n\nDone [1].'],
  ['~~~\nopen', '`open`'],
  // A line with further backticks begins or ends no block.
  ['``` a `b` end\nDone [1].', 'a `b` end\nDone [1].'],
  ['```\n``` no end\n````\nDone [1].', "`''' no end`\n\nDone [1]."],
  // A bar in code would end a cell of a table, and the code: there are no tables.
  ['`a | b`', '`a | b`'],
  ['| a |\n|---|\n| `![x](/evil) | \\\\|`\n\n`a|b`', '| a |\n|\\---|\n| `![x](/evil) | \\\\|`\n\n`a|b`'],
  ['```\na | ![x](/evil)\n```\n--- | ---', '`a | ![x](/evil)`\n\n\\--- | ---'],
  [
    '- `a \\| b` | c\n  - | :-: <b>\n  `![x](/evil) | b`',
    '- `a \\| b` | c\n  - | :-: `<b>`\n  `![x](/evil) | b`',
  ],
  // Constructs without an end.
  ['an [open bracket', 'an `[open` bracket'],
  ['an `open code', 'an `open` code'],
  ['an <open tag', 'an `<open` tag'],
  ['a [link](https://evil.example', 'a `[link](link removed`'],
  ['an [open\\\\.bracket and text', 'an `[open\\\\.bracket` and text'],
  // Invisible characters.
  ['\u202Egnp.exe ht\u200Btps://evil.example \u{E0041}x', '`gnp.exe` `link removed` x'],
  [
    '# Head\n\n- one **two**\n  - three [3]\n\n| a | b |',
    '# Head\n\n- one **two**\n  - three [1]\n\n| a | b |',
  ],
  ['Emoji 😀 stay, as \\[escaped\\] and \\* do', 'Emoji 😀 stay, as `\\[escaped\\]` and  * do'],
];

describe('an answer of a language model', () => {
  it.each(cases)('%j becomes %j', (text, expected) => {
    expect(cleaned(text).trim()).toBe(expected);
  });

  it.each([1, 2, 3, 7])('is cleaned alike in pieces of %i characters', (size) => {
    for (const [text] of cases) expect(shown(text, size).join('')).toBe(cleaned(`[1]\n${text}`));
  });

  it('is shown a line at a time', () => {
    expect(shown('It is [the docs](https://evil.example)\n- so [2]', 3)).toEqual([
      '[1]\n',
      'It is `[the` `docs](link removed`)\n',
      '- so [2]',
    ]);
  });

  it('shows brackets that are no link as text', () => {
    expect(cleaned(`[${'a '.repeat(299)}[1] end`)).toContain('a [1] end');
    expect(cleaned('[ [ [1] [a](https://evil.example) `[` [2]')).toBe(
      '`[` `[` [1] `[a](link removed`) `[` [2]',
    );
    expect(cleaned('a](https://evil.example) ](b](c)) [1]')).toBe('`a](link removed`) `](b](c`)) [1]');
    expect(cleaned('[a\n\nb] [1]')).toBe('`[a`\n\n`b]` [1]');
  });

  it('takes linear time for constructs without an end', () => {
    const nested = `${'['.repeat(290)}${']'.repeat(290)}`;
    const costOf = (part: string): number => {
      const text = part.repeat(16_000 / part.length);
      const runs = [40, 40, text.length].map((size) => {
        const before = process.cpuUsage();
        shown(text, size);
        return process.cpuUsage(before).user / 1_000;
      });
      return Math.min(...runs);
    };
    const usual = costOf('[a] <b> `c` ');
    for (const part of [
      '[',
      '![',
      '<a ',
      '`',
      '``a',
      '[a](',
      '\\',
      '((',
      '<!--',
      '<a ="',
      '[1',
      '[1,',
      nested,
    ]) {
      // They have up to three times as many pieces. More than linear time would be a hundred times as much.
      expect(costOf(part), part).toBeLessThan(8 * Math.max(usual, 5));
    }
  });
});
