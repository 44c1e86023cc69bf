import { dirname } from 'node:path';

/** A bench and what its smallest run needs. */
export interface Bench {
  /** Arguments of the smallest run, besides ORGCTX_BENCH_SMALLEST. */
  readonly args: (inputs: BenchInputs) => readonly string[];
  /** A program without which the bench cannot run. */
  readonly needs?: string;
}

/** Small inputs of benches. */
export interface BenchInputs {
  /** The work tree of a repository with code and history. */
  readonly folder: string;
  /** Its Git folder. */
  readonly gitDir: string;
  /** A file with one question about the repository, as `answers/questions.ts` reads it. */
  readonly questions: string;
  /** A file with one question and the place of its answer. */
  readonly places: string;
}

const nothing: Bench = { args: () => [] };

/** Every bench by its path below `test/bench`. */
export const benches: Readonly<Record<string, Bench>> = {
  'answers/run.ts': {
    args: ({ folder, questions }) => ['--repositories', dirname(folder), '--questions', questions],
  },
  'ask.ts': { args: ({ folder }) => [folder] },
  'backfill.ts': { args: () => ['--issues', '40'] },
  'bearer-check.ts': nothing,
  'blob-reader.ts': nothing,
  'calls/run.ts': {
    args: ({ folder }) => ['--server', 'tsc --lsp --stdio', folder],
    needs: 'tsc',
  },
  'definitions/run.ts': { args: ({ gitDir }) => [gitDir] },
  'edits.ts': { args: () => ['--issues', '40', '--edits', '1'] },
  'entities.ts': nothing,
  'exactness.ts': { args: ({ gitDir }) => ['--queries', '10', gitDir], needs: 'rg' },
  // Without the part that polls repositories, which takes minutes for one of them, too.
  'following.ts': { args: () => ['--pushes', '1', '--repositories', '0', '--merges', '1'], needs: 'rg' },
  'freshness.ts': { args: ({ gitDir }) => ['--rounds', '1', '--files', '1', gitDir] },
  'git-writer.ts': nothing,
  'graph-size.ts': { args: ({ gitDir }) => [gitDir] },
  'graph.ts': nothing,
  'hostile-patterns.ts': nothing,
  'intake.ts': nothing,
  'lexical.ts': { args: ({ folder }) => [folder] },
  'mcp-call.ts': nothing,
  'mirror.ts': nothing,
  'outline.ts': { args: ({ folder }) => [folder], needs: 'ctags' },
  'pages.ts': nothing,
  'passages/run.ts': { args: ({ gitDir, places }) => ['--questions', places, gitDir] },
  'projection/run.ts': { args: ({ gitDir }) => ['--pushes', '1', gitDir] },
  'queue-latency.ts': nothing,
  'queue.ts': nothing,
  'references/run.ts': { args: ({ gitDir }) => ['--names', '5', gitDir] },
  'retrieval/run.ts': { args: ({ gitDir }) => ['--queries', '2', gitDir] },
  'search/run.ts': { args: ({ gitDir }) => ['--rounds', '1', gitDir], needs: 'rg' },
  'sign-in-flood.ts': nothing,
  'start-up.ts': nothing,
  'symbols.ts': { args: ({ folder }) => [folder] },
  'tasks/run.ts': { args: ({ folder }) => [folder], needs: 'rg' },
};
