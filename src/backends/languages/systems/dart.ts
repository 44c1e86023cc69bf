import type { LineLanguage } from '../language.ts';
import { nestedSlashes, raw, variableName } from '../lexical/lexical-rule.ts';
import { namePattern, slashStar } from '../lines/line-rule.ts';

const dartType = '(?:[\\w.<>,?\\[\\]]+\\s+)';

const inStrings = { first: '"\'', escape: '\\', hole: '${', names: variableName } as const;
const lexical = [
  ...nestedSlashes,
  raw(/(?<=\br)("""|'''|["'])/y, '$1', { first: '"\'' }),
  raw(/("""|''')/y, '$1', inStrings),
  raw(/(["'])/y, '$1', { ...inStrings, oneLine: true }),
];

export const dart: LineLanguage = {
  name: 'Dart',
  endings: 'dart',
  lexical: lexical,
  generatedEnds: '.g.dart',
  interpreters: 'dart',
  lines: {
    annotations: true,
    blocks: slashStar,
    rules: [
      {
        pattern: `(?:(?:abstract|base|final|sealed|interface|mixin)\\s+)*class\\s+(${namePattern})`,
        kind: 'class',
        opens: 'class',
      },
      { pattern: `(?:base\\s+)?mixin\\s+(?!class\\b)(${namePattern})`, kind: 'class', opens: 'class' },
      { pattern: `extension\\s+(?:type\\s+)?(${namePattern})`, kind: 'class', opens: 'class' },
      { pattern: `enum\\s+(${namePattern})`, kind: 'enum', opens: 'class' },
      { pattern: `typedef\\s+(${namePattern})`, kind: 'type' },
      {
        pattern: `(?!import\\b|export\\b|part\\b)${dartType}+(${namePattern})\\s*\\(`,
        kind: 'function',
        place: 'top',
      },
      {
        pattern: `(?:const|final|late|var)\\s+${dartType}*(${namePattern})\\s*=`,
        kind: 'constant',
        place: 'top',
      },
    ],
    members: {
      class: [
        {
          pattern: `(?!(?:if|for|while|switch|return|super|throw|assert)\\b)${dartType}*(?:get\\s+|set\\s+)?(${namePattern})\\s*(?:\\(|=>)`,
          kind: 'method',
        },
      ],
    },
  },
};
