import { expect, it } from 'vitest';
import { sharedParser } from '../../../../test/support/languages/shared-parser.ts';

it.each([
  [
    'Python',
    'from a import MAX\nfrom a import (\n    LIMIT,\n)\nTRIES = MAX\ndef f(x=TRIES):\n    if x > TRIES: return x[1:LIMIT]\n    # TRIES\n    return a.TRIES, "LIMIT"\n',
    ['5 MAX TRIES', '6 TRIES f', '7 LIMIT f'],
  ],
  [
    'Kotlin',
    'package a\nimport b.LIMIT\nconst val TRIES = 3\nfun f(n: Int) = n > TRIES\nfun g(n: Int) = n in 0..LIMIT\nfun h(a: A) = a.TRIES\n',
    ['4 TRIES f', '5 LIMIT g'],
  ],
  [
    'TypeScript',
    "import {\n  LIMIT,\n} from './a';\nexport const TRIES = LIMIT;\nfunction f(n: number) {\n  return n < TRIES ? a.TRIES : [...LIMIT];\n}\nfunction g(TRIES: number) {\n  return -TRIES;\n}\n",
    ['4 LIMIT TRIES', '6 TRIES f', '6 LIMIT f'],
  ],
  [
    'Java',
    'import static a.B.LIMIT;\nclass A {\n  static final int TRIES = LIMIT;\n  int f() { return TRIES + B.TRIES; }\n}\n',
    ['3 LIMIT A.TRIES', '4 TRIES A.f'],
  ],
  [
    'Rust',
    'use a::{LIMIT, B};\nconst TRIES: u8 = LIMIT;\nfn f() -> u8 { TRIES + b::TRIES }\n',
    ['2 LIMIT TRIES', '3 TRIES f'],
  ],
  ['C', '#define TRIES 3\nint f(int n) { return n > TRIES; }\n', ['2 TRIES f']],
])('reads of constants in %s are uses', async (language, text, says) => {
  const [parsed] = await sharedParser.parseFiles(
    [{ path: 'a', language, text }],
    new AbortController().signal,
  );
  if (parsed === undefined || 'failed' in parsed) throw new Error('not parsed');
  const values = parsed.references.filter(({ kind }) => kind === 'value');
  expect(
    values.map(
      ({ line, name, from }) => `${line} ${name} ${parsed.symbols[from ?? -1]?.qualifiedName ?? '-'}`,
    ),
  ).toEqual(says);
});
