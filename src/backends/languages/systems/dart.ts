import type { LineLanguage } from '../language.ts';
import { nestedSlashes, raw, variableName } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

const dartType = '(?:[\\w.<>,?\\[\\]]+\\s+)';

const inStrings = { first: '"\'', escape: '\\', hole: '${', names: variableName } as const;
/** The rules for the lines of a type. */
const members = [
  rule(
    'method',
    `(?!(?:if|for|while|switch|return|super|throw|assert)\\b)${dartType}*(?:get\\s+|set\\s+)?(${namePattern})\\s*(?:\\(|=>)`,
  ),
];

export const dart: LineLanguage = {
  name: 'Dart',
  endings: 'dart',
  lexical: [
    ...nestedSlashes,
    raw(/(?<=\br)("""|'''|["'])/y, '$1', { first: '"\'' }),
    raw(/("""|''')/y, '$1', inStrings),
    raw(/(["'])/y, '$1', { ...inStrings, oneLine: true }),
  ],
  generatedEnds: '.g.dart',
  interpreters: 'dart',
  annotations: true,
  lines: [
    rule('class', `(?:(?:abstract|base|final|sealed|interface|mixin)\\s+)*class\\s+(${namePattern})`, {
      opens: members,
    }),
    rule('class', `(?:base\\s+)?mixin\\s+(?!class\\b)(${namePattern})`, { opens: members }),
    rule('class', `extension\\s+(?:type\\s+)?(${namePattern})`, { opens: members }),
    rule('enum', `enum\\s+(${namePattern})`, { opens: members }),
    rule('type', `typedef\\s+(${namePattern})`),
    rule('function', `(?!import\\b|export\\b|part\\b)${dartType}+(${namePattern})\\s*\\(`, {
      place: 'top',
    }),
    rule('constant', `(?:const|final|late|var)\\s+${dartType}*(${namePattern})\\s*=`, { place: 'top' }),
  ],
};
