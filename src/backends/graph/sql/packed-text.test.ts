import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { edgeKinds, nodeKinds } from '../port.ts';
import { graphSchema } from './graph-schema.ts';
import { packNode, packReason, splitKey, unpackNode, unpackReason } from './packed-text.ts';

const symbol = 'symbol:r1:src/a#b.ts#Store.close/method';

it('returns every key, node and reason as it was packed', () => {
  const keys = [
    symbol,
    'file:r1:src/a.ts',
    'file:r1:a',
    'repo:r1',
    'alias:ENG-1',
    'symbol:r1:no/name#',
    'team:',
    '',
  ];
  const evidences = [
    '',
    'line 12',
    'line 012',
    'line 12: ./names.ts',
    'only lines 7 +2 +30, possibly 12',
    'line 999999999',
    'line 9999999999',
    'line 1\nof: 2',
    'line -1',
    'line 1.5',
    'body 120-126',
    'body 126-120',
    'body 5-2000',
    'body 999999999-999999999',
    'comment 3f2a 12-20',
    'body src/a.ts:12',
    'Store.close',
    'src/a#b.ts',
    'r1',
    '[1, "x"]',
    ' 7',
    ':7:',
  ];
  for (const key of keys) {
    expect(splitKey(key).join('')).toBe(key);
    for (const name of ['close', 'Store.close', '', key]) {
      const props = { kind: 'method', open: true, path: 'src/a#b.ts', size: 0, text: '",\u{1F600}' };
      for (const node of [
        { name, props },
        { name, props: {} },
      ])
        expect(unpackNode(key, packNode(key, node))).toEqual(node);
    }
    for (const evidence of evidences) {
      const reason = { rule: 'rule', evidence };
      const packed = packReason(reason, key);
      expect(unpackReason(packed, key)).toEqual(reason);
      // A column of Postgres has four bytes.
      expect(packed.line).toBeLessThan(2 ** 31);
    }
  }
});

it('shares what many nodes and edges repeat', () => {
  const props = {
    endLine: 9,
    kind: 'method',
    path: 'src/a#b.ts',
    qualifiedName: 'Store.close',
    startLine: 7,
  };
  expect(packNode(symbol, { name: 'close', props })).toEqual({
    shape: '[4,"endLine",["kind",3],["path",1],["qualifiedName",2],"startLine"]',
    content: '9,7',
  });
  expect(packReason({ rule: 'definition', evidence: 'Store.close' }, symbol).reason).toBe('["definition",2]');
  for (const [line, evidence] of [
    [12, 'line 12'],
    [3, 'line 3'],
  ])
    expect(packReason({ rule: 'imported', evidence: String(evidence) })).toEqual({
      reason: '["imported","line ",""]',
      line,
    });
});

it('has another version of the tables whenever the numbers of kinds change', () => {
  const kinds = createHash('sha256')
    .update([...nodeKinds, ...edgeKinds].join())
    .digest('hex');
  expect([graphSchema.version, kinds.slice(0, 12)]).toEqual([6, '1a6b2dd89e06']);
  expect(edgeKinds).toEqual(edgeKinds.toSorted());
});
