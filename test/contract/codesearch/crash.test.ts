import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import { indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { createRandom, type Random } from '../../support/connectors/random.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { testSeed } from '../../support/run/seed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { ask, literal, ours, patient } from './query.ts';

const rounds = 400;
/** Maximum time before the kill. Long enough for some first builds and some deltas after them. */
const maxBuildMs = 400;
const fileCount = 40;
/** Number of files that an update changes. Few, so that it is a delta until deleted documents cause a rebuild. */
const marked = 4;

const root = mkdtempSync(join(tmpdir(), 'orgctx-crash-'));
const repository = createRepository();
const id = 'repo-crash' as RepositoryId;
const gitDir = `${repository.folder}/.git`;
const named = { repositories: [namedRepository(id)] };

/** Some files contain the marker of their commit, so that a mix of two commits is detected. The others never change. */
function commitMarked(mark: string): string {
  const content = (file: number): string => `${file < marked ? mark : 'markCommon'}();\n`.repeat(500);
  return repository.commit(
    Object.fromEntries(Array.from({ length: fileCount }, (_, file) => [`src/file${file}.ts`, content(file)])),
  );
}

const marks = ['markAlpha', 'markBeta', 'markGamma'];
const commits = marks.map(commitMarked);

async function buildAndKill(random: Random): Promise<void> {
  const script = fileURLToPath(new URL('./builder.ts', import.meta.url));
  const child = spawn(process.execPath, [script, root, gitDir, id, ...random.shuffle(commits)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await sleep(random.below(maxBuildMs));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a process killed while it indexes', () => {
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Open readers notice a change within a second. A reader that starts after the kill sees it at once. */
  const filesWith = async (words: readonly string[]): Promise<{ count: number; commits: string[] }[]> => {
    const search = openCodeSearch({ root, log: silentLog, threads: 1 });
    try {
      const answers = words.map((word) => search.search(ours, ask(literal(word), named), patient));
      return (await Promise.all(answers)).map(({ files }) => ({
        count: files.length,
        commits: [...new Set(files.map((file) => file.commit))],
      }));
    } finally {
      await search.close();
    }
  };

  it('leaves one complete generation that answers queries, and no other files', async () => {
    const random = createRandom(testSeed());
    let indexed = false;
    const generations = new Set<number>();
    for (let round = 0; round < rounds; round++) {
      await buildAndKill(random);
      const [common, ...found] = await filesWith(['markCommon', ...marks]);
      const answering = found.filter(({ count }) => count > 0);
      // After the first complete generation, every kill must leave one that answers.
      if (indexed) expect(answering).toHaveLength(1);
      expect(answering.length).toBeLessThanOrEqual(1);
      for (const { count, commits: seen } of answering) {
        expect(count).toBe(marked);
        expect(common).toEqual({ count: fileCount - marked, commits: seen });
        expect(seen).toHaveLength(1);
        expect(commits.indexOf(seen[0] ?? '')).toBe(found.findIndex((one) => one.count > 0));
      }
      const index = openTestIndex({ root, log: silentLog });
      const status = await index.status(ours, id);
      expect(status?.commit).toBe(answering[0]?.commits[0]);
      indexed ||= status !== undefined;
      generations.add(status?.generation ?? 0);
      const folder = join(root, ours.organizationId, id);
      const left = status === undefined ? [] : readdirSync(folder);
      expect(left.filter((name) => !/^manifest$|^(base|delta)-\d+-[0-9a-f]{8}\.seg/.test(name))).toEqual([]);
    }
    // Kills happened before, between and after commits of the index.
    expect(generations.size).toBeGreaterThan(rounds / 10);
    const index = openTestIndex({ root, log: silentLog });
    const to = commits[1] ?? '';
    await index.apply(indexRequest({ scope: ours, repository: id, gitDir, to }), patient);
    expect(await filesWith(['markBeta'])).toEqual([{ count: marked, commits: [to] }]);
  }, 2_400_000);
});
