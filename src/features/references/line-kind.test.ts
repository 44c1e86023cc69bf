import { expect, it } from 'vitest';
import { measureProcessor } from '../../../test/support/run/processor-time.ts';
import { LineKinds, placesOf } from './line-kind.ts';

const cases: Readonly<Record<string, readonly (readonly [kind: string, line: string])[]>> = {
  TypeScript: [
    ['import', "import { a, renew } from './lease.ts';"],
    ['import', "import renew from 'renew';"],
    ['import', "export { renew } from './lease.ts';"],
    ['import', "const { renew } = require('./lease');"],
    ['import', 'import {\n  a,\n  renew,\n} from "./lease.ts";'],
    ['import', 'import {\n  a, // not renew\n  renew as again,\n} from "./lease.ts";'],
    ['call', 'await lease.renew(key);'],
    ['call', 'renew<Map<string, number>>(key);'],
    ['call', 'lease?.renew?.(key);'],
    ['call', 'new renew;'],
    ['call', 'renew`text`;'],
    ['call', '@renew'],
    ['call', 'const renew = lease.renew(key);'],
    ['call', 'if (renew) again(() => renew());'],
    ['write', 'renew = 1;'],
    ['write', 'this.renew ??= 1;'],
    ['write', 'renew[0] += 1;'],
    ['write', '++lease.renew;'],
    ['write', 'renew++;'],
    ['read', 'if (renew === 1) go();'],
    ['read', 'renew => 1;'],
    ['read', 'go(renew);'],
    ['read', 'if (renew <= 1 || renew >= 2) go();'],
    ['read', 'go(`${renew}`);'],
    ['text', '// renew(key)'],
    ['text', '/* a\n renew(key) */'],
    ['text', "go('renew(key)');"],
    ['call', "go('renew', renew(1));"],
    ['read', 'foo(renew); bar();'],
  ],
  Python: [
    ['import', 'from lease import renew'],
    ['import', 'from . import renew'],
    ['import', 'from lease import (\n    a,\n    renew,\n)'],
    ['call', '@renew'],
    ['write', 'renew = 1'],
    ['text', '# renew()'],
    ['text', '"""\nrenew()\n"""'],
    ['read', 'x = [renew]'],
  ],
  Go: [
    ['call', 'lease.renew()'],
    ['write', 'renew := 1'],
    ['read', 'go(renew)'],
  ],
  Rust: [
    ['import', 'pub(crate) use lease::{a, renew};'],
    ['call', 'renew!(a)'],
    ['call', 'renew::<u8>(a)'],
    ['read', 'a != renew'],
  ],
  'C#': [
    ['import', 'using renew;'],
    ['read', 'using (renew) {'],
  ],
  R: [
    ['write', 'renew <- 1'],
    ['write', 'renew <<- 1'],
  ],
  SQL: [
    ['read', 'from renew'],
    ['read', 'use renew'],
  ],
  Ruby: [
    ['import', 'require renew'],
    ['read', 'from renew'],
  ],
  PHP: [
    ['import', 'use Lease\\renew;'],
    ['call', 'new renew;'],
  ],
  'C++': [
    ['import', 'using lease::renew;'],
    ['read', 'use renew;'],
  ],
  Java: [
    ['import', 'import static lease.renew;'],
    ['call', 'new renew();'],
  ],
  Haskell: [['import', 'import Lease (renew)']],
  Markdown: [['text', 'Call renew(key).']],
  Text: [['text', 'renew(key)']],
};

it.each(Object.entries(cases))('tells how lines of %s use a name', (language, all) => {
  const found = all.map(([, text]) => {
    const line = text.split('\n').findLastIndex((each) => placesOf(each, 'renew').length > 0) + 1;
    return [new LineKinds(`first;\n${text}\n`, language).kindOf(line + 1, 'renew'), text];
  });
  expect(found).toEqual(all);
});

it('finds whole words as ripgrep does', () => {
  expect(placesOf('renew renews érenew renewé _renew renew² $renew', 'renew')).toEqual([0, 34, 42]);
  expect(placesOf('$scope a$scope', '$scope')).toEqual([0]);
});

it('cuts lines at line feeds, without carriage returns', () => {
  const kinds = new LineKinds('a\r\nb\u2028c\n\nd', 'TypeScript');
  expect([1, 2, 3, 4, 5].map((line) => kinds.line(line))).toEqual(['a', 'b\u2028c', '', 'd', '']);
});

it('reads a line of a million characters with 100,000 places in linear time', () => {
  const kinds = new LineKinds(`${'go(('.repeat(100_000)}${"'renew' ".repeat(50_000)}renew`, 'TypeScript');
  const processorMs = measureProcessor();
  expect(kinds.kindOf(1, 'renew')).toBe('read');
  expect(processorMs()).toBeLessThan(3_000);
});
