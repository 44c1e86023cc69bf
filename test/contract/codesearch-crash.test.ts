import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { createRepository } from '../support/git-repository.ts';
import { indexRequest, namedRepository } from '../support/index-request.ts';
import { silentLog } from '../support/silent-log.ts';
import { ask, literal, ours, patient } from './codesearch-query.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 20);
/** Long enough for some first builds and some deltas behind them. */
const LONGEST_BUILD_MS = 400;
/** Few enough of all files that an update is a delta, until dead documents make it a rebuild. */
const MARKED = 4;
const FILES = 40;

const root = mkdtempSync(join(tmpdir(), 'orgctx-crash-'));
const repository = createRepository();
const id = 'repo-crash' as RepositoryId;
const gitDir = `${repository.folder}/.git`;
const named = { repositories: [namedRepository(id)] };

/** Some files carry the mark of their commit, so that a mix of two would show; the others stay as they are. */
function commitMarked(mark: string): string {
  const content = (file: number): string => `${file < MARKED ? mark : 'markCommon'}();\n`.repeat(500);
  return repository.commit(
    Object.fromEntries(Array.from({ length: FILES }, (_, file) => [`src/file${file}.ts`, content(file)])),
  );
}

const marks = ['markAlpha', 'markBeta', 'markGamma'];
const commits = marks.map(commitMarked);

async function buildAndKill(): Promise<void> {
  const script = fileURLToPath(new URL('./codesearch-builder.ts', import.meta.url));
  const child = spawn(process.execPath, [script, root, gitDir, id, ...commits], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await sleep(Math.random() * LONGEST_BUILD_MS);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a process killed while it indexes', () => {
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Readers that were open before notice a change within a second; one that starts after the kill sees it at once. */
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

  it(`leaves one whole generation to answer, and nothing behind, in ${ROUNDS} rounds`, async () => {
    let indexed = false;
    const generations = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      await buildAndKill();
      const [common, ...found] = await filesWith(['markCommon', ...marks]);
      const answering = found.filter(({ count }) => count > 0);
      // From the first whole generation on there is always one to answer.
      if (indexed) expect(answering).toHaveLength(1);
      expect(answering.length).toBeLessThanOrEqual(1);
      for (const { count, commits: seen } of answering) {
        expect(count).toBe(MARKED);
        expect(common).toEqual({ count: FILES - MARKED, commits: seen });
        expect(seen).toHaveLength(1);
        expect(commits.indexOf(seen[0] ?? '')).toBe(found.findIndex((one) => one.count > 0));
      }
      const index = openCodeIndex({ root, log: silentLog });
      const status = await index.status(ours, id);
      expect(status?.commit).toBe(answering[0]?.commits[0]);
      indexed ||= status !== undefined;
      generations.add(status?.generation ?? 0);
      const folder = join(root, ours.organizationId, id);
      const left = status === undefined ? [] : readdirSync(folder);
      expect(left.filter((name) => !/^manifest$|^(base|delta)-\d+-[0-9a-f]{8}\.seg/.test(name))).toEqual([]);
    }
    // Kills came before, between and behind commits of the index.
    expect(generations.size).toBeGreaterThan(ROUNDS / 10);
    const index = openCodeIndex({ root, log: silentLog });
    const to = commits[1] ?? '';
    await index.apply(indexRequest({ scope: ours, repository: id, gitDir, to }), patient);
    expect(await filesWith(['markBeta'])).toEqual([{ count: MARKED, commits: [to] }]);
  }, 120_000);
});
