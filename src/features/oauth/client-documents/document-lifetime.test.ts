import { describe, expect, it } from 'vitest';
import { documentLifetime } from './document-lifetime.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('the lifetime of a client metadata document', () => {
  it.each([
    ['15 minutes by default', {}, 900],
    ['the value of max-age', { 'cache-control': 'public, max-age=3600' }, 3_600],
    [
      'the value of s-maxage, which is for shared caches',
      { 'cache-control': 'max-age=600, s-maxage="7200"' },
      7_200,
    ],
    ['max-age less the age in other caches', { 'cache-control': 'max-age=3600', age: '3000' }, 600],
    ['the time until Expires', { expires: 'Sat, 21 Nov 2026 12:10:00 GMT' }, 600],
    [
      'the value of max-age if Expires is also present',
      { 'cache-control': 'max-age=600', expires: '0' },
      600,
    ],
    ['a minute with no-store', { 'cache-control': 'no-store' }, 60],
    ['a minute with no-cache', { 'cache-control': 'max-age=600, no-cache' }, 60],
    ['a minute if it has expired', { expires: 'Sat, 21 Nov 2020 12:00:00 GMT' }, 60],
    ['a minute if Expires is not a date', { expires: 'never' }, 60],
    ['at most a day', { 'cache-control': 'max-age=999999999999' }, 86_400],
    ['15 minutes for invalid values', { 'cache-control': 'max-age=-1, xmax-age=5' }, 900],
  ])('is %s', (_what, headers, seconds) => {
    expect(documentLifetime(headers, now)).toBe(seconds * 1_000);
  });
});
