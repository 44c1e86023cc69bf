import { setTimeout } from 'node:timers/promises';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { RankedFile, RankedPassage } from '../../../src/backends/codesearch/port.ts';
import { rankQuestion } from '../../../src/features/advisor/evidence/rank-question.ts';
import type { RankedQuestion } from '../../../src/features/advisor/inquiry.ts';
import { patientSearch } from '../../../src/features/advisor/patient-search.ts';
import { readQuestion } from '../../../src/features/advisor/question/read-question.ts';
import { Unavailable } from '../../../src/foundation/kernel/errors.ts';
import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { seedOrganization, seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The product with one indexed repository. */
export interface Product {
  /** Brings the index and its history to a commit. Nothing after the commit is known to it. */
  index(commit: string): Promise<void>;
  /** Ranks the files for a prompt and packs their passages, and measures both. */
  ask(prompt: string): Promise<Asked>;
  close(): Promise<void>;
}

export interface Asked {
  readonly files: readonly RankedFile[];
  /** Those that fit into the pack. */
  readonly passages: readonly RankedPassage[];
  readonly rankMs: number;
  readonly packMs: number;
}

/** The pack that is measured: 8,000 tokens of four characters. */
const packCharacters = 32_000;
/** Characters that a passage costs besides its text. */
const overheadCharacters = 160;

/** Ranks until a busy machine neither refused the request nor cut it off, because that says nothing about quality. */
async function rankWhole(
  rank: () => Promise<RankedQuestion>,
): Promise<{ ranked: RankedQuestion; rankMs: number }> {
  for (;;) {
    const started = performance.now();
    try {
      const ranked = await rank();
      if (!ranked.partial) return { ranked, rankMs: performance.now() - started };
    } catch (error) {
      if (!(error instanceof Unavailable) || error.code !== 'overloaded') throw error;
    }
    await setTimeout(1000);
  }
}

export async function openProduct(gitDir: string, commit: string): Promise<Product> {
  const root = temporaryFolder();
  const database = await openTestDatabase('sqlite');
  const scope = await seedOrganization(database, 'bench');
  const repository = await seedRepository(database, scope, {
    name: 'bench/repository',
    indexedCommit: commit,
  });
  const index = openTestIndex({ root, log: silentLog });
  const codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  const { signal } = new AbortController();
  return {
    index: async (to) => {
      const request = indexRequest({ scope, repository, gitDir, to });
      await applyAndDefine(index, request);
      await index.compact(request, signal);
    },
    ask: async (prompt) => {
      const { ranked, rankMs } = await rankWhole(() => {
        const patient = patientSearch(codeSearch, performance.now() + 60_000);
        const deps = { codeSearch: patient, queries: database.queries };
        return rankQuestion(deps, scope, readQuestion(prompt), signal);
      });
      const started = performance.now();
      const passages = packed(ranked.passages.best);
      return { files: ranked.files, passages, rankMs, packMs: rankMs + performance.now() - started };
    },
    close: async () => {
      await codeSearch.close();
      await database.close();
    },
  };
}

function packed(passages: readonly RankedPassage[]): readonly RankedPassage[] {
  let left = packCharacters;
  return passages.filter(({ lines }) => {
    const cost = lines.reduce((sum, { text }) => sum + text.length + 1, overheadCharacters);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}
