import { expect, it } from 'vitest';
import { inHalf, type Question, readQuestions } from './questions.ts';
import { type Cited, type Given, type Place, scoreOf } from './score.ts';

const text = ['import x', 'function renew() {', '  lease.until = later;', '}', 'function other() {', '}'];
const renew: Place = { repository: 'jobs', path: 'lease.ts', ranges: [{ first: 2, last: 4 }], text };
const question: Question = {
  id: '1',
  organization: 'bench',
  repositories: ['jobs'],
  question: 'Where?',
  style: 'plain',
  kind: 'where',
  places: ['jobs/lease.ts:renew'],
  facts: [['UNTIL'], ['later', 'soon']],
};
const right = cite(2, 4);
const inFile = cite(5, 6);
const elsewhere: Cited = { ...right, path: 'queue.ts', excerpt: 'nothing of it' };

function cite(startLine: number, endLine: number): Cited {
  const excerpt = text.slice(startLine - 1, endLine).join('\n');
  return { repository: 'jobs', path: 'lease.ts', startLine, endLine, title: 'title', excerpt };
}

function score(given: Partial<Given>, asked: Partial<Question> = {}, places: readonly Place[] = [renew]) {
  return scoreOf({ ...question, ...asked }, places, { answer: '', citations: [], ...given });
}

it.each([
  ['the right place first with every fact', [right, elsewhere], {}, 3],
  ['the right place first without a fact', [right], { facts: [['absent']] }, 2],
  ['the right place among the first five', [elsewhere, inFile, right], { facts: [['absent']] }, 2],
  ['its file with one of two facts', [inFile], { facts: [['other'], ['absent']] }, 1],
  ['another file', [elsewhere], {}, 0],
  [
    'the right place as the sixth',
    Array.from({ length: 6 }, (_, at) => (at < 5 ? elsewhere : right)),
    { facts: [['absent']] },
    0,
  ],
] as const)('gives points for %s', (_, citations, asked, points) => {
  expect(score({ citations }, asked as Partial<Question>).points).toBe(points);
});

it('gives two points for most facts without a place', () => {
  expect(score({ answer: 'until, later' }).points).toBe(2);
});

it('does not take a cited class for a member that the excerpt leaves out', () => {
  const whole = { ...cite(1, 6), excerpt: 'import x\n…' };
  expect(score({ citations: [whole] })).toMatchObject({ first: false, five: false });
  expect(score({ citations: [cite(1, 6)] })).toMatchObject({ first: true });
});

it('wants each place of a question about several repositories, in any order', () => {
  const other: Place = { ...renew, repository: 'web', text };
  const places = [renew, other];
  const web = { ...right, repository: 'web' };
  const several: Partial<Question> = { kind: 'several', facts: [['until']] };
  expect(score({ citations: [elsewhere, web, right] }, several, places)).toMatchObject({
    points: 3,
    first: true,
  });
  expect(score({ citations: [web] }, several, places)).toMatchObject({ points: 2, first: false, five: true });
});

it('wants the name of a person in the answer', () => {
  const who: Partial<Question> = { kind: 'who', facts: [['Ada']] };
  expect(score({ answer: 'Mostly Ada.' }, who).points).toBe(3);
  expect(score({ citations: [{ title: 'commit', excerpt: 'by Ada' }] }, who).points).toBe(0);
});

it('wants to hear that there is no such thing', () => {
  expect(score({ answer: 'Not found in `jobs`.' }, { facts: [] }, []).points).toBe(3);
  expect(score({ answer: 'weak', notFound: true }, { facts: [] }, []).points).toBe(3);
  expect(score({ answer: 'That is `renew` [1].' }, { facts: [] }, [])).toMatchObject({
    points: 0,
    isWrong: true,
  });
});

it('tells a sure first line from a likely one', () => {
  expect(score({ answer: 'That is `other` [1].', citations: [inFile] })).toMatchObject({
    isSure: true,
    isWrong: true,
  });
  expect(score({ answer: '\nThat is `renew` [1].', citations: [right] })).toMatchObject({
    isSure: true,
    isWrong: false,
  });
  expect(score({ answer: 'likely: `renew` [1]' })).toMatchObject({ isSure: false, isLikely: true });
  expect(score({ answer: '`renew`', confidence: 'likely' }).isLikely).toBe(true);
  expect(score({ answer: 'Look at `renew` [1].' }).isSure).toBe(false);
  expect(score({ answer: 'These passages fit.' }).isSure).toBe(false);
});

it('reads the questions, and divides them in halves', () => {
  const all = readQuestions(undefined);
  expect(all.length).toBeGreaterThan(0);
  expect(inHalf(all, 'odd').length + inHalf(all, 'even').length).toBe(all.length);
  expect(inHalf(all, 'a').length).toBeGreaterThan(0);
});
