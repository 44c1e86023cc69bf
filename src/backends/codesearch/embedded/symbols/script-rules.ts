import { type LanguageRules, NAME, SLASH_STAR } from './line-rule.ts';

const RUBY_NAME = `${NAME}[?!=]?`;

export const ruby: LanguageRules = {
  blocks: [{ open: '=begin', close: '=end' }],
  rules: [
    {
      pattern: `(?:private\\s+|protected\\s+|public\\s+|module_function\\s+)?def\\s+(?:self\\.|${NAME}\\.)?(${RUBY_NAME})`,
      kind: 'function',
      inside: 'method',
      words: ['def', 'private', 'protected', 'public', 'module_function'],
    },
    { pattern: `class\\s+(?:${NAME}::)*(${NAME})`, kind: 'class', words: ['class'], opens: 'class' },
    { pattern: 'class\\s*<<', kind: 'other', words: ['class'], opens: 'class' },
    { pattern: `module\\s+(?:${NAME}::)*(${NAME})`, kind: 'module', words: ['module'], opens: 'class' },
    {
      pattern: `(?:attr_accessor|attr_reader|attr_writer)\\s+:(${NAME})`,
      kind: 'field',
      words: ['attr_accessor', 'attr_reader', 'attr_writer'],
    },
    { pattern: `alias(?:_method)?\\s+:?(${RUBY_NAME})`, kind: 'method', words: ['alias', 'alias_method'] },
    { pattern: `([A-Z]\\w*)\\s*=(?![=~>])`, kind: 'constant', place: 'outer' },
  ],
};

const PHP_WORDS = ['public', 'private', 'protected', 'static', 'abstract', 'final', 'readonly', 'var'];
const PHP = `(?:(?:${PHP_WORDS.join('|')})\\s+)*`;

export const php: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${PHP}function\\s+&?(${NAME})\\s*\\(`,
      kind: 'function',
      inside: 'method',
      words: [...PHP_WORDS, 'function'],
    },
    { pattern: `${PHP}class\\s+(${NAME})`, kind: 'class', words: [...PHP_WORDS, 'class'], opens: 'class' },
    { pattern: `interface\\s+(${NAME})`, kind: 'interface', words: ['interface'], opens: 'class' },
    { pattern: `trait\\s+(${NAME})`, kind: 'class', words: ['trait'], opens: 'class' },
    { pattern: `enum\\s+(${NAME})`, kind: 'enum', words: ['enum'], opens: 'class' },
    { pattern: `namespace\\s+([\\w\\\\]+)`, kind: 'module', words: ['namespace'] },
    {
      pattern: `${PHP}const\\s+(?:\\w+\\s+)?(${NAME})\\s*=`,
      kind: 'constant',
      words: [...PHP_WORDS, 'const'],
    },
    { pattern: `define\\(\\s*['"](\\w+)['"]`, kind: 'constant', words: ['define'] },
    { pattern: `case\\s+(${NAME})\\s*[=;]`, kind: 'constant', words: ['case'], place: 'outer' },
    { pattern: `${PHP}(?:\\??[\\w\\\\|]+\\s+)?\\$(${NAME})\\s*[=;]`, kind: 'field', words: PHP_WORDS },
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
    { pattern: `class\\s+(${NAME})`, kind: 'class', words: ['class'] },
    { pattern: `enum\\s+(${NAME})`, kind: 'enum', words: ['enum'] },
  ],
};

export const lua: LanguageRules = {
  blocks: [{ open: '--[[', close: ']]' }],
  rules: [
    {
      pattern: `(?:local\\s+)?function\\s+(?:[\\w.]+[.:])?(${NAME})`,
      kind: 'function',
      words: ['local', 'function'],
    },
    { pattern: `(?:local\\s+)?(?:[\\w]+\\.)*(${NAME})\\s*=\\s*function\\b`, kind: 'function' },
    { pattern: `local\\s+(${NAME})\\s*(?:<\\w+>\\s*)?=`, kind: 'variable', words: ['local'], place: 'top' },
  ],
};

export const elixir: LanguageRules = {
  blocks: [
    { open: '@doc """', close: '"""' },
    { open: '@moduledoc """', close: '"""' },
  ],
  rules: [
    {
      pattern: `def(?:p|macro|macrop|guard|guardp|delegate)?\\s+(${NAME}[?!]?)`,
      kind: 'function',
      words: ['def', 'defp', 'defguard', 'defguardp', 'defdelegate'],
    },
    { pattern: `defmacrop?\\s+(${NAME}[?!]?)`, kind: 'macro', words: ['defmacro', 'defmacrop'] },
    {
      pattern: `def(?:module|protocol|impl)\\s+(?:[A-Z]\\w*\\.)*([A-Z]\\w*)`,
      kind: 'module',
      words: ['defmodule', 'defprotocol'],
    },
    { pattern: `@type(?:p)?\\s+(${NAME})`, kind: 'type', words: ['@type', '@typep'] },
  ],
};

export const perl: LanguageRules = {
  blocks: [
    { open: '=pod', close: '=cut' },
    { open: '=head', close: '=cut' },
  ],
  rules: [
    { pattern: `sub\\s+(?:\\w+::)*(${NAME})`, kind: 'function', words: ['sub'] },
    { pattern: `package\\s+([\\w:]+)`, kind: 'module', words: ['package'] },
    { pattern: `use\\s+constant\\s+(${NAME})`, kind: 'constant', words: ['use'] },
  ],
};

export const r: LanguageRules = {
  rules: [{ pattern: `([\\w.]+)\\s*(?:<-|=)\\s*function\\b`, kind: 'function' }],
};
