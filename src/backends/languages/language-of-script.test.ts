import { expect, it } from 'vitest';
import { languageNames, languageOf } from './language-of.ts';
import { languageOfScript } from './language-of-script.ts';

it.each([
  ['#!/usr/bin/env python3', 'Python'],
  ['#!/usr/bin/python3.11 -u', 'Python'],
  ['#!/bin/sh -e', 'Shell'],
  ['#! /bin/bash', 'Shell'],
  ['#!/bin/busybox sh', 'Shell'],
  ['#!/usr/bin/env -S deno run --allow-net', 'TypeScript'],
  ['#!/usr/bin/env -Sperl -w', 'Perl'],
  ['#!/usr/bin/env -S -i LANG=C -u HOME ruby', 'Ruby'],
  ['#!/usr/bin/env -S uv run --script', 'Python'],
  ['#!/usr/bin/env -S npx tsx', 'TypeScript'],
  ['#!/usr/bin/env node --enable-source-maps', 'JavaScript'],
  ['#!/usr/bin/env busybox env lua5.4', 'Lua'],
  ['#!C:\\Python\\python.exe', 'Python'],
  ['#!/usr/bin/perl6', 'Raku'],
  ['#!/usr/bin/make -f', 'Makefile'],
  ['#!/usr/bin/env python3\r', 'Python'],
  ['#!/usr/bin/env', undefined],
  ['#!', undefined],
  ['#!/opt/own/tool python', undefined],
  [' #!/bin/sh', undefined],
  ['# /bin/sh', undefined],
  [`#!${'x'.repeat(300)}/sh`, undefined],
])('%j is %s', (line, language) => {
  expect(languageOfScript(`${line}\nimport os\n`)).toBe(language);
  expect(languageOfScript(Buffer.from(`${line}\n`))).toBe(language);
});

it('decides only where the name of the file does not', () => {
  const script = '#!/bin/sh\n';
  expect(languageOf('bin/start', script)).toBe('Shell');
  expect(languageOf('bin/start.prod', script)).toBe('Shell');
  expect(languageOf('setup.py', script)).toBe('Python');
  expect(languageOf('Makefile', script)).toBe('Makefile');
  expect(languageOf('LICENSE', 'MIT\n')).toBe('Text');
  expect(languageOf('bin/start')).toBe('Text');
  expect(languageOf('bin/empty', '')).toBe('Text');
});

it('names only languages that `lang:` knows', () => {
  const names = [
    'awk',
    'bb',
    'node',
    'just',
    'nu',
    'rscript',
    'cargo',
    'wish',
    'tsx',
    'swipl',
    'sbcl',
    'fsharpi',
  ];
  for (const name of names) expect(languageNames).toContain(languageOfScript(`#!/bin/${name}`));
});
