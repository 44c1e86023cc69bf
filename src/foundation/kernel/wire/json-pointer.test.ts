import { describe, expect, it } from 'vitest';
import { fieldName, pointerTo, segmentsOf } from './json-pointer.ts';

describe('a JSON pointer', () => {
  it.each([
    [[], '', ''],
    [['limit'], '/limit', 'limit'],
    [['repositories', 0, 'source'], '/repositories/0/source', 'repositories.0.source'],
    [['a/b', 'm~n', '~1', ''], '/a~1b/m~0n/~01/', 'a/b.m~n.~1.'],
  ] as const)('for %j is %j', (path, pointer, name) => {
    expect(pointerTo(path)).toBe(pointer);
    expect(segmentsOf(pointer)).toEqual(path.map(String));
    expect(fieldName(pointer)).toBe(name);
  });
});
