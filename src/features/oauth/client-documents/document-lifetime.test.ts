import { describe, expect, it } from 'vitest';
import { documentLifetime } from './document-lifetime.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('a client metadata document', () => {
  it.each([
    ['15 minutes where nothing is said', {}, 900],
    ['what max-age says', { 'cache-control': 'public, max-age=3600' }, 3_600],
    ['what s-maxage says, which is for us', { 'cache-control': 'max-age=600, s-maxage="7200"' }, 7_200],
    ['what is left after other caches', { 'cache-control': 'max-age=3600', age: '3000' }, 600],
    ['until it expires', { expires: 'Sat, 21 Nov 2026 12:10:00 GMT' }, 600],
    ['max-age before Expires', { 'cache-control': 'max-age=600', expires: '0' }, 600],
    ['a minute where it must not be kept', { 'cache-control': 'no-store' }, 60],
    ['a minute where it must be asked for', { 'cache-control': 'max-age=600, no-cache' }, 60],
    ['a minute where it has expired', { expires: 'Sat, 21 Nov 2020 12:00:00 GMT' }, 60],
    ['a minute where Expires is no date', { expires: 'never' }, 60],
    ['a day at most', { 'cache-control': 'max-age=999999999999' }, 86_400],
    ['15 minutes where it is nonsense', { 'cache-control': 'max-age=-1, xmax-age=5' }, 900],
  ])('is used for %s', (_what, headers, seconds) => {
    expect(documentLifetime(headers, now)).toBe(seconds * 1_000);
  });
});
