import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleRecords } from '../../../../test/support/mirror/example-records.ts';
import { parseRecord, printRecord, recordKinds } from '../../../../test/support/mirror/records.ts';
import { projectRoot } from '../../../../test/support/run/gates.ts';

const folder = join(projectRoot, 'test/fixtures/mirrored-files');

describe('the mirrored files in test/fixtures', () => {
  it('have one record of each kind, and nothing else', () => {
    expect(exampleRecords.map(({ type }) => type).toSorted()).toEqual(
      recordKinds.map(({ type }) => type).toSorted(),
    );
    const files = globSync('**/*.{md,yaml}', { cwd: folder });
    expect(files.toSorted()).toEqual(exampleRecords.map((record) => printRecord(record).path).toSorted());
  });

  // A changed file means that every mirrored file of users changes with the next version.
  it.each(exampleRecords.map((record) => printRecord(record)))(
    'are printed byte for byte: $path',
    async ({ path, content }) => {
      await expect(content).toMatchFileSnapshot(join(folder, path));
    },
  );

  it.each(globSync('**/*.{md,yaml}', { cwd: folder }))('are parsed and print the same bytes: %s', (path) => {
    const content = readFileSync(join(folder, path), 'utf8');
    const parsed = parseRecord(path, content);
    expect(parsed && printRecord(parsed.record)).toEqual({ path, content });
  });
});
