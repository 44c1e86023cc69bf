import { expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';

it('replaces each NUL in texts, and nothing that only looks like one', () => {
  const given = { title: 'a\0b', list: ['\0', { deep: '\0\0' }], escaped: String.raw`\u0000`, number: 0 };
  const read = {
    title: 'a\ufffdb',
    list: ['\ufffd', { deep: '\ufffd\ufffd' }],
    escaped: String.raw`\u0000`,
    number: 0,
  };
  expect(parseJson(JSON.stringify(given))).toEqual(read);
  expect(parseJson(Buffer.from(JSON.stringify(given)))).toEqual(read);
});

it('returns undefined for what is not JSON', () => {
  expect(parseJson('{')).toBeUndefined();
  expect(parseJson('"a\0b"')).toBeUndefined();
});
