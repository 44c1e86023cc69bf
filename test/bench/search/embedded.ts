import { fileURLToPath } from 'node:url';
import { workerFlags } from '../../../src/app/processes/process-flags.ts';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { Query, SearchRequest, SearchResult } from '../../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Corpus } from './corpus.ts';
import type { BuildCost, Engine } from './engine.ts';
import type { IndexJobReport } from './index-job.ts';
import type { Question } from './questions.ts';
import { bytesOnDisk, runMeasured } from './run-measured.ts';

/** The maximum page size. */
const pageSize = 1000;
const neverAborted = new AbortController().signal;
export const benchScope = { organizationId: 'bench' as OrganizationId, orgSlug: 'bench' };

export interface EmbeddedEngine extends Engine {
  /** Returns the first 50 files as callers get them: ranked, five lines each. */
  firstPage(question: Question): Promise<SearchResult>;
  /** Counts the files that `all` finds without returning them; this is what the bench measures. */
  countAll(question: Question, known: number): Promise<number>;
}

/** Builds the index in a separate process with the worker's flags. */
export async function buildEmbedded(
  corpus: Corpus,
  root: string,
  compression: 'none' | 'zstd',
): Promise<BuildCost & IndexJobReport> {
  const job = fileURLToPath(new URL('./index-job.ts', import.meta.url));
  const repositories = corpus.repositories.flatMap(({ name, gitDir, commit }) => [name, gitDir, commit]);
  const args = [...workerFlags, job, root, compression, ...repositories];
  const { output, ...cost } = await runMeasured(process.execPath, args);
  return { ...(JSON.parse(output) as IndexJobReport), ...cost, size: bytesOnDisk(root) };
}

export function openEmbedded(root: string): EmbeddedEngine {
  const search = openCodeSearch({ root, log: silentLog });
  const ask = async (question: Question, page: Partial<SearchRequest>): Promise<SearchResult> => {
    const request = { limit: pageSize, matchesPerFile: 0, contextLines: 0, deadlineMs: 60_000, ...page };
    const result = await search.search(benchScope, { query: queryOf(question), ...request }, neverAborted);
    if (result.incomplete !== undefined && result.incomplete !== 'limit') {
      throw new Error(`${question.text}: ${result.incomplete}`);
    }
    return result;
  };
  return {
    firstPage: (question) => ask(question, { limit: 50, matchesPerFile: 5 }),
    all: async (question) => {
      const found: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const { files, nextOffset } = await ask(question, { offset });
        found.push(...files.map((file) => `${file.repository}/${file.path}`));
        offset = nextOffset;
      }
      return found;
    },
    // A page near the end needs a scan of every file: the last thousand matches are scored, sorted and returned, those
    // before are counted.
    countAll: async (question, known) => {
      const { stats, incomplete } = await ask(question, { offset: Math.max(0, known - pageSize + 1) });
      if (incomplete !== undefined) throw new Error(`${question.text}: ${incomplete}`);
      return stats.matched;
    },
    close: () => search.close(),
  };
}

export function queryOf({ form, text, caseSensitive }: Question): Query {
  const shared = { caseSensitive, field: 'content' } as const;
  return form === 'literal'
    ? { kind: 'literal', text, ...shared }
    : { kind: 'regex', source: text, ...shared };
}
