import { describe, expect, it } from 'vitest';
import { fitOf } from './find-frames.ts';
import { conditionOf, exitBefore } from './raising-line.ts';

describe('fitOf', () => {
  it.each([
    ['/usr/lib/python3/site-packages/requests/utils.py', 'requests/src/requests/utils.py', true],
    ['/app/node_modules/axios/lib/x.js', 'axios/lib/x.js', true],
    ['/app/node_modules/left-pad/lib/x.js', 'axios/lib/x.js', false],
    ['/go/pkg/mod/github.com/gorilla/mux@v1.8.1/mux.go', 'mux/mux.go', true],
    ['/g/gems/jekyll-4.3/lib/jekyll/site.rb', 'jekyll/lib/jekyll/site.rb', true],
    ['com/google/gson/Gson.java', 'gson/gson/src/main/java/com/google/gson/Gson.java', true],
    ['/app/sync.py', 'other/src/sync.py', false],
  ])('compares %s with %s', (written, indexed, fits) => {
    expect(fitOf(written, indexed) > 0).toBe(fits);
  });
});

describe('the condition of a line', () => {
  it('is the branch around it, or the branch before it that returns', () => {
    const lines = [
      'f(x) {',
      '  if (x) {',
      '    return 1;',
      '  }',
      '  throw e;',
      '  if (y) {',
      '    throw g;',
      '  }',
      '}',
    ];
    expect(conditionOf(lines, 7, 1)).toEqual({ line: 6, text: 'if (y) {', isElse: false });
    expect(conditionOf(lines, 5, 1)).toBeUndefined();
    const other = ['f(x) {', '  if (x) {', '    a();', '  } else {', '    throw e;', '  }', '}'];
    expect(conditionOf(other, 5, 1)).toEqual({ line: 2, text: 'if (x) {', isElse: true });
    expect(exitBefore(lines, 5, 1)).toEqual({ line: 2, text: 'if (x) {' });
  });
});
