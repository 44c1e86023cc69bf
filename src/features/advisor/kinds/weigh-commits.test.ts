import { expect, it } from 'vitest';
import type { SourceHistoryCommit } from '../../../backends/codesearch/port.ts';
import type { Inquiry } from '../inquiry.ts';
import { changeAnswer } from './changes.ts';
import { weighCommits } from './weigh-commits.ts';

const repository = { id: 'r1', name: 'ferry' };
const author = { name: 'Ada Lovelace', email: 'ada@example.com' };

function change(id: string, time: number, message: string): SourceHistoryCommit {
  return { id: id.repeat(40), time, author, message, paths: [], changed: 0 };
}

/** Returns an inquiry whose repository has these commits, and whose best passage lies in `src/pump.ts`. */
function inquiryOf(head: string, changes: readonly SourceHistoryCommit[]): Inquiry {
  const passage = { repository: 'r1', path: 'src/pump.ts', startLine: 1, endLine: 9, fileClass: 'source' };
  const nothing = { nodes: [], edges: [] };
  const inquiry = {
    question: {
      head,
      kind: 'change',
      mentions: { commits: [], pulls: [], things: [], used: [], changed: [] },
      subject: { identifiers: [], places: [] },
    },
    ranked: {
      passages: { best: [passage] },
      files: [],
      named: [],
      searched: [repository],
      repositories: [repository],
    },
    named: { symbols: [], files: [] },
    deps: {
      sources: {
        readHistory: async (_: unknown, { said }: { said?: unknown }) => ({
          commits: said ? changes : [],
          more: false,
          whole: true,
        }),
        readDiff: async () => undefined,
      },
      urls: { commit: () => 'https://ctx.example/commit' },
    },
    view: { graph: { get: async () => nothing, neighbours: async () => nothing } },
    scope: {},
    signal: new AbortController().signal,
  };
  return inquiry as never;
}

async function idsOf(head: string, changes: readonly SourceHistoryCommit[]) {
  const weighed = await weighCommits(inquiryOf(head, changes));
  return weighed.map(({ commit }) => commit.id[0]).join('');
}

const noise = change('f', 1, 'Paint the hull');

it('prefers messages with more of the words, the subject before the body, in any form of a word', async () => {
  const changes = [
    noise,
    change('b', 2, 'Tidy\n\nThe valve is closed before pumping.'),
    change('a', 3, 'Close valves before pumping'),
    change('c', 4, 'Pump more'),
  ];
  expect((await idsOf('Why are valves closed before the pump starts?', changes)).slice(0, 2)).toBe('ab');
});

it('counts a word of the subject twice', async () => {
  const changes = [
    change('b', 9, 'Paint the hull\n\nValves close'),
    change('a', 2, 'Valves close\n\nPaint the hull'),
  ];
  expect(await idsOf('Why do valves close?', [...changes, noise])).toMatch(/^ab/u);
});

it('is sure of no commit, and says so of one that says little of the question', async () => {
  const one = change('a', 3, 'Close the valve before pumping');
  const head = 'Which commit closes the valve on pumping?';
  expect((await changeAnswer(inquiryOf(head, [noise, one])))?.isSure).toBe(false);
  const little = change('a', 3, 'Close it');
  const answer = await changeAnswer(inquiryOf('Which commit closes leaking bilge sluices?', [noise, little]));
  expect(answer?.isSure).toBe(false);
  expect(answer?.notes?.join(' ')).toContain('No message of a commit has most of the words');
});

it('tells versions apart', async () => {
  const changes = [change('a', 3, 'Drop Node 3.6'), change('b', 2, 'Drop Node 3.7'), noise];
  expect((await idsOf('Why did we drop Node 3.7?', changes))[0]).toBe('b');
});
