import { type LanguageRules, namePattern, slashStar } from './line-rule.ts';

const rubyName = `${namePattern}[?!=]?`;

export const ruby: LanguageRules = {
  blocks: [{ open: '=begin', close: '=end' }],
  rules: [
    {
      pattern: `(?:private\\s+|protected\\s+|public\\s+|module_function\\s+)?def\\s+(?:self\\.|${namePattern}\\.)?(${rubyName})`,
      kind: 'function',
      inside: 'method',
      words: ['def', 'private', 'protected', 'public', 'module_function'],
    },
    {
      pattern: `class\\s+(?:${namePattern}::)*(${namePattern})`,
      kind: 'class',
      words: ['class'],
      opens: 'class',
    },
    { pattern: 'class\\s*<<', kind: 'other', words: ['class'], opens: 'class' },
    {
      pattern: `module\\s+(?:${namePattern}::)*(${namePattern})`,
      kind: 'module',
      words: ['module'],
      opens: 'class',
    },
    {
      pattern: `(?:attr_accessor|attr_reader|attr_writer)\\s+:(${namePattern})`,
      kind: 'field',
      words: ['attr_accessor', 'attr_reader', 'attr_writer'],
    },
    { pattern: `alias(?:_method)?\\s+:?(${rubyName})`, kind: 'method', words: ['alias', 'alias_method'] },
    { pattern: `([A-Z]\\w*)\\s*=(?![=~>])`, kind: 'constant', place: 'outer' },
  ],
};

const phpWords = ['public', 'private', 'protected', 'static', 'abstract', 'final', 'readonly', 'var'];
const phpModifiers = `(?:(?:${phpWords.join('|')})\\s+)*`;

export const php: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `${phpModifiers}function\\s+&?(${namePattern})\\s*\\(`,
      kind: 'function',
      inside: 'method',
      words: [...phpWords, 'function'],
    },
    {
      pattern: `${phpModifiers}class\\s+(${namePattern})`,
      kind: 'class',
      words: [...phpWords, 'class'],
      opens: 'class',
    },
    { pattern: `interface\\s+(${namePattern})`, kind: 'interface', words: ['interface'], opens: 'class' },
    { pattern: `trait\\s+(${namePattern})`, kind: 'class', words: ['trait'], opens: 'class' },
    { pattern: `enum\\s+(${namePattern})`, kind: 'enum', words: ['enum'], opens: 'class' },
    { pattern: `namespace\\s+([\\w\\\\]+)`, kind: 'module', words: ['namespace'] },
    {
      pattern: `${phpModifiers}const\\s+(?:\\w+\\s+)?(${namePattern})\\s*=`,
      kind: 'constant',
      words: [...phpWords, 'const'],
    },
    { pattern: `define\\(\\s*['"](\\w+)['"]`, kind: 'constant', words: ['define'] },
    { pattern: `case\\s+(${namePattern})\\s*[=;]`, kind: 'constant', words: ['case'], place: 'outer' },
    {
      pattern: `${phpModifiers}(?:\\??[\\w\\\\|]+\\s+)?\\$(${namePattern})\\s*[=;]`,
      kind: 'field',
      words: phpWords,
    },
  ],
};

export const shell: LanguageRules = {
  rules: [
    { pattern: `function\\s+([\\w:.-]+)`, kind: 'function', words: ['function'] },
    { pattern: `([A-Za-z_][\\w:.-]*)\\s*\\(\\s*\\)`, kind: 'function' },
    {
      pattern: `(?:export|readonly|declare(?:\\s+-\\w+)*)\\s+([A-Za-z_]\\w*)=`,
      kind: 'variable',
      words: ['export', 'readonly', 'declare'],
    },
    { pattern: `([A-Z_][A-Z0-9_]*)=`, kind: 'variable', place: 'top' },
  ],
};

export const powershell: LanguageRules = {
  blocks: [{ open: '<#', close: '#>' }],
  rules: [
    {
      pattern: `(?:function|filter)\\s+(?:\\w+:)?([\\w-]+)`,
      kind: 'function',
      words: ['function', 'Function', 'filter'],
    },
    { pattern: `[fF]unction\\s+(?:\\w+:)?([\\w-]+)`, kind: 'function', words: ['Function'] },
    { pattern: `class\\s+(${namePattern})`, kind: 'class', words: ['class'] },
    { pattern: `enum\\s+(${namePattern})`, kind: 'enum', words: ['enum'] },
  ],
};

export const lua: LanguageRules = {
  blocks: [{ open: '--[[', close: ']]' }],
  rules: [
    {
      pattern: `(?:local\\s+)?function\\s+(?:[\\w.]+[.:])?(${namePattern})`,
      kind: 'function',
      words: ['local', 'function'],
    },
    { pattern: `(?:local\\s+)?(?:[\\w]+\\.)*(${namePattern})\\s*=\\s*function\\b`, kind: 'function' },
    {
      pattern: `local\\s+(${namePattern})\\s*(?:<\\w+>\\s*)?=`,
      kind: 'variable',
      words: ['local'],
      place: 'top',
    },
  ],
};

export const elixir: LanguageRules = {
  blocks: [
    { open: '@doc """', close: '"""' },
    { open: '@moduledoc """', close: '"""' },
  ],
  rules: [
    {
      pattern: `def(?:p|macro|macrop|guard|guardp|delegate)?\\s+(${namePattern}[?!]?)`,
      kind: 'function',
      words: ['def', 'defp', 'defguard', 'defguardp', 'defdelegate'],
    },
    { pattern: `defmacrop?\\s+(${namePattern}[?!]?)`, kind: 'macro', words: ['defmacro', 'defmacrop'] },
    {
      pattern: `def(?:module|protocol|impl)\\s+(?:[A-Z]\\w*\\.)*([A-Z]\\w*)`,
      kind: 'module',
      words: ['defmodule', 'defprotocol'],
    },
    { pattern: `@type(?:p)?\\s+(${namePattern})`, kind: 'type', words: ['@type', '@typep'] },
  ],
};

export const perl: LanguageRules = {
  blocks: [
    { open: '=pod', close: '=cut' },
    { open: '=head', close: '=cut' },
  ],
  rules: [
    { pattern: `sub\\s+(?:\\w+::)*(${namePattern})`, kind: 'function', words: ['sub'] },
    { pattern: `package\\s+([\\w:]+)`, kind: 'module', words: ['package'] },
    { pattern: `use\\s+constant\\s+(${namePattern})`, kind: 'constant', words: ['use'] },
  ],
};

export const r: LanguageRules = {
  rules: [{ pattern: `([\\w.]+)\\s*(?:<-|=)\\s*function\\b`, kind: 'function' }],
};
