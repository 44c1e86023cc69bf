import { expect, it } from 'vitest';
import type { PastCommit } from '../evidence/sources.ts';
import { askedVersion, byVersion } from './version-change.ts';

function levelsOf(question: string, subjects: readonly string[]): readonly (readonly [number, string])[] {
  const asked = askedVersion(question, ['ferry']);
  if (asked === undefined) return [];
  const commits = subjects.map((subject, time) => ({ subject, time }) as PastCommit);
  return byVersion(commits, asked).map(({ level, commit }) => [level, commit.subject]);
}

it.each([
  ['Why was Python 3.7 dropped?', 'Drop support for CPython 3.7'],
  ['When did ferry drop Node 12?', 'chore!: drop support for node 12 and 17 (#295)'],
  ['When did ferry stop supporting PHP 8.0?', 'Drop support for 8.0'],
  ['Since when does ferry require Node 18?', 'feat: adopt Node@18 as the minimum supported version'],
  ['Why did ferry move to PHP 8.1?', 'Add records, drop PHP <8.1'],
  ['Why was the minimum Go version raised to 1.23?', 'Bump minimum Go to 1.23, use patterns'],
])('knows the ways to end and to require a version: %s', (question, subject) => {
  expect(levelsOf(question, ['Test Python 3.7', subject])).toEqual([[3, subject]]);
});

it('puts the exact version first, then the nearest one that includes it, then parts', () => {
  const subjects = [
    'Require Node.js 20',
    'Drop Node.js 14 from the test matrix',
    'Require Node.js 16',
    'Require Node.js 15 or later for `http2`',
    'Drop Node.js 12',
    'Fix a bug of Node.js 14',
    'Remove the Node.js 14 workaround',
  ];
  const included = [
    [2, 'Require Node.js 16'],
    [2, 'Require Node.js 20'],
    [1, 'Drop Node.js 14 from the test matrix'],
    [1, 'Remove the Node.js 14 workaround'],
  ];
  expect(levelsOf('When was Node 14 dropped?', subjects)).toEqual(included);
  expect(levelsOf('When was Node 14 dropped?', [...subjects, 'Drop Node 14'])).toEqual([
    [3, 'Drop Node 14'],
    ...included,
  ]);
});

it.each([
  'When was the parser of Python 3.7 fixed?',
  'Why was retry removed in ferry 2.0?',
  'Why was the queue removed?',
])('is about no other change: %s', (question) => {
  expect(askedVersion(question, ['ferry'])).toBeUndefined();
});
