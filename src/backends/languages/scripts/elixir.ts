import type { LineLanguage } from '../language.ts';
import { namePattern } from '../lines/line-rule.ts';

export const elixir: LineLanguage = {
  name: 'Elixir',
  endings: 'ex exs',
  interpreters: 'elixir',
  lines: {
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
  },
};
