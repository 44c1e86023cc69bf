import type { LineLanguage } from '../language.ts';
import { backtickName, nestedSlashes, quoted, raw } from '../lexical/lexical-rule.ts';
import { anyOf, type LineRule, namePattern, rule } from '../lines/line-rule.ts';

const modifierWords =
  'public private fileprivate internal open static final override mutating nonmutating required convenience lazy weak unowned indirect nonisolated class';
const swiftWords = modifierWords.split(' ');
const swiftModifiers = anyOf([...swiftWords.map((word) => `${word}(?:\\(set\\))?`), '@\\w+']);
const swiftType = (word: string, kind: LineRule['kind']): LineRule =>
  rule(kind, `${swiftModifiers}${word}\\s+(${namePattern})`, { opens: [] });

export const swift: LineLanguage = {
  name: 'Swift',
  endings: 'swift',
  lexical: [
    ...nestedSlashes,
    raw(/(?<=(#{1,255}))"/y, '"$1', { first: '"' }),
    raw('"""', '"""', { escape: '\\', hole: '\\(' }),
    quoted('"', { hole: '\\(' }),
    backtickName,
  ],
  filesAreClasses: true,
  interpreters: 'swift',
  annotations: true,
  lines: [
    rule('function', `${swiftModifiers}func\\s+(${namePattern})`, { inside: 'method' }),
    rule('class', `${anyOf(swiftWords.slice(0, -1))}class\\s+(?!func\\b|var\\b|let\\b)(${namePattern})`, {
      opens: [],
    }),
    swiftType('actor', 'class'),
    swiftType('struct', 'struct'),
    swiftType('enum', 'enum'),
    swiftType('protocol', 'interface'),
    rule('other', `${swiftModifiers}extension\\s+(?<owner>[\\w.]+)`, { opens: [] }),
    rule('type', `${swiftModifiers}typealias\\s+(${namePattern})`),
    rule('constant', `${swiftModifiers}let\\s+(${namePattern})`, { inside: 'field', place: 'outer' }),
    rule('variable', `${swiftModifiers}var\\s+(${namePattern})`, { inside: 'field', place: 'outer' }),
    rule('constant', `case\\s+(${namePattern})`, { place: 'outer' }),
  ],
};
