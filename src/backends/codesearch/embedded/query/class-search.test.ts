import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, literal, ours, patient, regex } from '../../../../../test/contract/codesearch/query.ts';
import { indexRequest, namedRepository } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { CodeSearch } from '../../port.ts';
import { openCodeSearch } from '../open-embedded-code-search.ts';

const dated = {
  'latin.txt': 'on 2026-11-21T10\n',
  'other-digits.txt': 'on ٢٠٢٦-١١-٢١T10\n',
  'wide-digits.txt': 'on ２０２６-11-21T10\n',
  'beside.txt': 'é — 漢\non 2026-11-21T10\n',
  'none.txt': 'é 2026-11T21 and 2026_11_21T\n',
};
const repositories = [1, 2, 3].map((number) => namedRepository(`repo-${number}`, `acme/r${number}`));
let oneThread: CodeSearch;
let twoThreads: CodeSearch;

beforeAll(async () => {
  const root = temporaryFolder();
  const index = openTestIndex({ root, log: silentLog });
  for (const [number, { id }] of repositories.entries()) {
    const many = Array.from({ length: 300 }, (_, file) => [
      `f${file}.ts`,
      `common ${file % 7}\n`.repeat(1 + (file % 5)),
    ]);
    const { folder, git } = createRepository({
      ...(number === 0 ? dated : {}),
      ...Object.fromEntries(many),
    });
    await index.apply(
      indexRequest({
        scope: ours,
        repository: id,
        gitDir: join(folder, '.git'),
        to: git('rev-parse', 'HEAD'),
      }),
      patient,
    );
  }
  oneThread = openCodeSearch({ root, log: silentLog, threads: 1 });
  twoThreads = openCodeSearch({ root, log: silentLog, threads: 2 });
});

afterAll(async () => {
  await Promise.all([oneThread.close(), twoThreads.close()]);
});

it('finds digits of every script, regardless of the other text in the file', async () => {
  const { files } = await oneThread.search(
    ours,
    ask(regex('\\d{4}-\\d{2}-\\d{2}T'), { repositories }),
    patient,
  );
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    'beside.txt',
    'latin.txt',
    'other-digits.txt',
    'wide-digits.txt',
  ]);
});

it.each([0, 30, 390, 401, 650, 890, 5000])(
  'returns the page at offset %i in the same order with one thread and with two',
  async (offset) => {
    const request = ask(literal('common'), { repositories, limit: 40, offset });
    const [one, two] = [
      await oneThread.search(ours, request, patient),
      await twoThreads.search(ours, request, patient),
    ];
    const all: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const page = await oneThread.search(
        ours,
        ask(literal('common'), { repositories, limit: 1000, offset: from }),
        patient,
      );
      all.push(...page.files.map(({ repository, path }) => `${repository}/${path}`));
      from = page.nextOffset;
    }
    const found = one.files.map(({ repository, path }) => `${repository}/${path}`);
    expect(found).toEqual(all.slice(offset, offset + 40));
    expect(two.files).toEqual(one.files);
    expect(two.nextOffset).toBe(one.nextOffset);
  },
);
