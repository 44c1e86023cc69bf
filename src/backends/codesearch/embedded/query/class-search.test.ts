import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, literal, ours, patient, regex } from '../../../../../test/contract/codesearch-query.ts';
import { createRepository } from '../../../../../test/support/git-repository.ts';
import { indexRequest, namedRepository } from '../../../../../test/support/index-request.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { CodeSearch } from '../../port.ts';
import { openCodeIndex, openCodeSearch } from '../open-embedded-code-search.ts';

const dated = {
  'latin.txt': 'on 2026-11-21T10\n',
  'other-digits.txt': 'on ٢٠٢٦-١١-٢١T10\n',
  'wide-digits.txt': 'on ２０２６-11-21T10\n',
  'beside.txt': 'é — 漢\non 2026-11-21T10\n',
  'none.txt': 'é 2026-11T21 and 2026_11_21T\n',
};
const repositories = [1, 2, 3].map((number) => namedRepository(`repo-${number}`, `acme/r${number}`));
let alone: CodeSearch;
let together: CodeSearch;

beforeAll(async () => {
  const root = temporaryFolder();
  const index = openCodeIndex({ root, log: silentLog });
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
  alone = openCodeSearch({ root, log: silentLog, threads: 1 });
  together = openCodeSearch({ root, log: silentLog, threads: 2 });
});

afterAll(async () => {
  await Promise.all([alone.close(), together.close()]);
});

it('finds digits of every script, whatever else stands in the text', async () => {
  const { files } = await alone.search(ours, ask(regex('\\d{4}-\\d{2}-\\d{2}T'), { repositories }), patient);
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    'beside.txt',
    'latin.txt',
    'other-digits.txt',
    'wide-digits.txt',
  ]);
});

it.each([0, 30, 390, 401, 650, 890, 5000])(
  'gives the page from %i on in the same order to one thread and to two',
  async (offset) => {
    const request = ask(literal('common'), { repositories, limit: 40, offset });
    const [one, two] = [
      await alone.search(ours, request, patient),
      await together.search(ours, request, patient),
    ];
    const all: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const page = await alone.search(
        ours,
        ask(literal('common'), { repositories, limit: 1000, offset: from }),
        patient,
      );
      all.push(...page.files.map(({ repository, path }) => `${repository}/${path}`));
      from = page.nextOffset;
    }
    const shown = one.files.map(({ repository, path }) => `${repository}/${path}`);
    expect(shown).toEqual(all.slice(offset, offset + 40));
    expect(two.files).toEqual(one.files);
    expect(two.nextOffset).toBe(one.nextOffset);
  },
);
