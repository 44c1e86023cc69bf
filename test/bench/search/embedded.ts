import { fileURLToPath } from 'node:url';
import { workerFlags } from '../../../src/app/supervise-worker.ts';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { Query, SearchRequest, SearchResult } from '../../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Corpus } from './corpus.ts';
import type { BuildCost, Engine } from './engine.ts';
import type { IndexJobReport } from './index-job.ts';
import type { Question } from './questions.ts';
import { bytesOnDisk, runMeasured } from './run-measured.ts';

/** The largest page there is. */
const PAGE = 1000;
const forever = new AbortController().signal;
export const benchScope = { organizationId: 'bench' as OrganizationId, orgSlug: 'bench' };

export interface EmbeddedEngine extends Engine {
  /** The first 50 files as a person or an agent gets them: ranked, five lines each. */
  firstPage(question: Question): Promise<SearchResult>;
  /** As many files as `all` finds, counted without asking for them; what is timed. */
  countAll(question: Question, known: number): Promise<number>;
}

/** Builds the index in a process of its own, as the worker does. */
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
    const request = { limit: PAGE, matchesPerFile: 0, contextLines: 0, deadlineMs: 60_000, ...page };
    const result = await search.search(benchScope, { query: queryOf(question), ...request }, forever);
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
    // A page that begins so near to the end is given when every file has been looked at; the last thousand of them are
    // scored, put in order and given, those before are counted.
    countAll: async (question, known) => {
      const { stats, incomplete } = await ask(question, { offset: Math.max(0, known - PAGE + 1) });
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
