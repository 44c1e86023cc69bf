import { expect, it } from 'vitest';
import type { RankedDefinition } from '../../../../backends/codesearch/port.ts';
import { findValues } from './find-values.ts';

const valuesOf = (text: string, terms: readonly string[], definitions: readonly RankedDefinition[] = []) =>
  findValues(text.split('\n'), definitions, { path: 'src/lease.x', terms }).map(
    ({ line, name, value, comment }) =>
      `${line} ${name} ${value}${comment === undefined ? '' : ` ${comment}`}`,
  );

it.each([
  ['const defaultLeaseMemory = 32 << 20 // 32 MB', '1 defaultLeaseMemory 32 << 20 32 MB'],
  ['DEFAULT_LEASE_LIMIT: int = 30', '1 DEFAULT_LEASE_LIMIT 30'],
  ['  lease: 0,', '1 lease 0'],
  ['private static final int LEASE_MAX = 10;', '1 LEASE_MAX 10'],
  ['pub const LEASE: Duration = Duration::from_secs(5);', '1 LEASE Duration::from_secs(5)'],
  ['DEFAULT_LEASE_CONFIG = Lease(seconds=5.0)', '1 DEFAULT_LEASE_CONFIG Lease(seconds=5.0)'],
  ['const LEASE_SIZE: usize = 64 * (1 << 10); // 64 KB', '1 LEASE_SIZE 64 * (1 << 10) 64 KB'],
  ['#define LEASE_SECONDS 60', '1 LEASE_SECONDS 60'],
  ['leaseTime := 5 * time.Second', '1 leaseTime 5 * time.Second'],
])('the value of a line is found: %s', (line, found) => {
  expect(valuesOf(line, ['default', 'lease'])).toEqual([found]);
});

it.each(['if lease == 30 {', 'return lease', 'lease = take(worker)', 'worker = 30'])(
  'a line without the value has none: %s',
  (line) => {
    expect(valuesOf(line, ['default', 'lease'])).toEqual([]);
  },
);

it('a default counts more than a local variable, and its comment says what it is', () => {
  const renew = { name: 'renew', kind: 'function', line: 1, startLine: 1, endLine: 3 } as const;
  const text =
    'function renew() {\n  let leases = 0;\n}\n// How long a worker holds a lease.\nconst defaultLease = 60;';
  expect(valuesOf(text, ['lease'], [renew])).toEqual([
    '5 defaultLease 60 How long a worker holds a lease.',
    '2 leases 0',
  ]);
});

it('a line of any form is read in linear time', () => {
  const line = `${'a '.repeat(200)}:${' a'.repeat(200)}= 1 ${'* a'.repeat(100)}`;
  const started = performance.now();
  valuesOf(Array.from({ length: 2000 }, () => line).join('\n'), ['a']);
  expect(performance.now() - started).toBeLessThan(2000);
});
