import { describe, expect, it } from 'vitest';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { Finding, GatheredEvidence } from './gather-evidence.ts';
import { writeAnswer } from './write-answer.ts';

const commit = 'c'.repeat(40);

function finding(rank: number, excerpt: string, more: Partial<Finding> = {}): Finding {
  const lines = excerpt.split('\n').length;
  return {
    rank,
    kind: 'code',
    repositoryId: 'r' as RepositoryId,
    repository: 'ferry',
    path: `src/f${rank}.ts`,
    startLine: 1,
    endLine: lines,
    commit,
    uri: 'ctx://repo/ferry/file/x',
    url: 'https://ctx.example/x',
    title: 'title',
    excerpt,
    score: 1,
    reasons: ['first', 'second', 'third', 'fourth'],
    language: 'TypeScript',
    subject: undefined,
    summary: undefined,
    ...more,
  };
}

function evidence(items: readonly Finding[], more: Partial<GatheredEvidence> = {}): GatheredEvidence {
  return {
    items,
    truncated: false,
    freshness: [{ repository: 'ferry', indexedCommit: commit, indexedAt: 0 }],
    pending: [],
    subject: { terms: ['x'], identifiers: [], paths: [], phrases: [], places: [] },
    unmatched: [],
    uncovered: [],
    hurried: false,
    damaged: false,
    ...more,
  };
}

describe('writeAnswer', () => {
  it('stays under 32,000 characters, cites only what it quotes and says that it cut', () => {
    const long = Array.from({ length: 40 }, () => 'x'.repeat(300)).join('\n');
    const { answer, citations, truncated } = writeAnswer(
      evidence([1, 2, 3, 4].map((rank) => finding(rank, long))),
    );
    expect(answer.length).toBeLessThanOrEqual(32_000);
    expect(citations.map(({ n }) => n)).toEqual([1, 2]);
    expect(truncated).toBe(true);
    expect(answer).toContain('More passages match');
    expect(answer).not.toContain('[3]');
  });

  it('shortens later passages and says how to read the rest', () => {
    const excerpt = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const { answer } = writeAnswer(evidence([1, 2, 3, 4, 5].map((rank) => finding(rank, excerpt))));
    expect(answer).toContain('**[4]** `ferry/src/f4.ts:1-30`');
    expect(answer).toContain('**[5]** `ferry/src/f5.ts:1-16`');
    expect(answer).toContain('`read_file` with lines=17-30');
  });

  it('shows hostile paths and summaries as text', () => {
    const { answer } = writeAnswer(
      evidence([finding(1, 'x', { path: 'a`b\n# c.ts', summary: 'See [here](https://evil.example).' })]),
    );
    expect(answer).toContain("`ferry/a'b # c.ts`");
    expect(answer).not.toContain('](https');
  });

  it('gives three reasons at most, and the notes it was given', () => {
    const { answer, citations } = writeAnswer(
      evidence([finding(1, 'x')], {
        uncovered: ['SSRF'],
        hurried: true,
        pending: [{ repository: 'api', state: 'cloning', progress: '' }],
      }),
    );
    expect(citations[0]?.reason).toBe('first; second; third');
    expect(answer).toContain('None of these passages mentions `SSRF`.');
    expect(answer).toContain('ran out of time');
    expect(answer).toContain('`api` (cloning)');
  });

  it('says that an index is damaged, and does not take its silence for proof', () => {
    const damaged = { damaged: true };
    const note = 'The index of a repository is damaged and is being built anew';
    expect(writeAnswer(evidence([finding(1, 'x')], damaged)).answer).toContain(note);
    const { answer } = writeAnswer(evidence([], damaged));
    expect(answer).toContain('no proof that there is none');
    expect(answer).toContain(note);
    expect(writeAnswer(evidence([])).answer).not.toContain(note);
  });
});
