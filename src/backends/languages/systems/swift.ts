import { type LineLanguage, testClasses } from '../language.ts';
import { backtickName, nestedSlashes, quoted, raw } from '../lexical/lexical-rule.ts';
import { anyOf, type LineRule, namePattern, slashStar, wordsOf } from '../lines/line-rule.ts';

const swiftWords = wordsOf(
  'public private fileprivate internal open static final override mutating nonmutating required convenience lazy weak unowned indirect nonisolated class',
);
const swiftModifiers = anyOf([...swiftWords.map((word) => `${word}(?:\\(set\\))?`), '@\\w+']);
const swiftType = (word: string, kind: LineRule['kind']): LineRule => ({
  pattern: `${swiftModifiers}${word}\\s+(${namePattern})`,
  kind,
  opens: 'class',
});

const lexical = [
  ...nestedSlashes,
  raw(/(?<=(#{1,255}))"/y, '"$1', { first: '"' }),
  raw('"""', '"""', { escape: '\\', hole: '\\(' }),
  quoted('"', { hole: '\\(' }),
  backtickName,
];

export const swift: LineLanguage = {
  name: 'Swift',
  endings: 'swift',
  lexical: lexical,
  testClasses,
  interpreters: 'swift',
  lines: {
    annotations: true,
    blocks: slashStar,
    rules: [
      { pattern: `${swiftModifiers}func\\s+(${namePattern})`, kind: 'function', inside: 'method' },
      {
        pattern: `${anyOf(swiftWords.slice(0, -1))}class\\s+(?!func\\b|var\\b|let\\b)(${namePattern})`,
        kind: 'class',
        opens: 'class',
      },
      swiftType('actor', 'class'),
      swiftType('struct', 'struct'),
      swiftType('enum', 'enum'),
      swiftType('protocol', 'interface'),
      { pattern: `${swiftModifiers}extension\\s+(?<owner>[\\w.]+)`, kind: 'other', opens: 'class' },
      { pattern: `${swiftModifiers}typealias\\s+(${namePattern})`, kind: 'type' },
      {
        pattern: `${swiftModifiers}let\\s+(${namePattern})`,
        kind: 'constant',
        inside: 'field',
        place: 'outer',
      },
      {
        pattern: `${swiftModifiers}var\\s+(${namePattern})`,
        kind: 'variable',
        inside: 'field',
        place: 'outer',
      },
      { pattern: `case\\s+(${namePattern})`, kind: 'constant', place: 'outer' },
    ],
  },
};
