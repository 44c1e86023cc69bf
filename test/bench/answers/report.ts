import { bootstrap, mean } from '../retrieval/measures.ts';
import { percentile } from '../statistics.ts';
import type { Question } from './questions.ts';
import type { Score } from './score.ts';

/** The answer of one side to one question. */
export interface Scored {
  readonly question: Question;
  readonly score: Score;
  /** Size in tokens of four bytes: of the text of `svc_advisor`, or of the definitions that the anchor found. */
  readonly tokens?: number;
  /** Time of the request. Absent for the anchor. */
  readonly ms?: number;
}

/** The answers of one side, in the order of the questions. */
export interface Side {
  readonly name: string;
  readonly answers: readonly Scored[];
}

type Row = readonly [string, (answers: readonly Scored[]) => string];

const none = '-';

function rowsFor(questions: readonly Question[]): readonly Row[] {
  const of = (name: string, isWanted: (question: Question) => boolean): Row => [
    `${name} (${questions.filter(isWanted).length})`,
    (answers) =>
      meanOf(answers.filter(({ question }) => isWanted(question)).map(({ score }) => score.points)),
  ];
  const kinds = [...new Set(questions.map(({ kind }) => kind))].toSorted();
  return [
    of('mean points', () => true),
    of('  colleague', ({ style }) => style === 'colleague'),
    of('  plain', ({ style }) => style === 'plain'),
    ...kinds.map((kind) => of(`  ${kind}`, (question) => question.kind === kind)),
    [
      '3 / 2 / 1 / 0 points',
      (answers) => [3, 2, 1, 0].map((each) => countOf(answers, ({ points }) => points === each)).join(' / '),
    ],
    ['right place first', (answers) => meanOf(answers.flatMap(({ score }) => score.first ?? []).map(Number))],
    [
      'right place among five',
      (answers) => meanOf(answers.flatMap(({ score }) => score.five ?? []).map(Number)),
    ],
    [
      'facts in the evidence',
      (answers) =>
        shareOf(
          answers.reduce((sum, { score }) => sum + score.facts, 0),
          questions.reduce((sum, { facts }) => sum + facts.length, 0),
        ),
    ],
    [
      'sure; of these wrong',
      (answers) =>
        `${countOf(answers, ({ isSure }) => isSure)}; ${countOf(answers, ({ isWrong }) => isWrong)}`,
    ],
    [
      'not found; of these wrong',
      (answers) => {
        const wrong = countOf(answers, ({ isNotFound, first }) => isNotFound && first !== undefined);
        return `${countOf(answers, ({ isNotFound }) => isNotFound)}; ${wrong}`;
      },
    ],
    [
      'likely; of these right among five',
      (answers) =>
        `${countOf(answers, ({ isLikely }) => isLikely)}; ${countOf(answers, ({ isLikely, five, points }) => isLikely && (five ?? points === 3))}`,
    ],
    [
      'tokens, mean / maximum',
      (answers) =>
        ofNumbers(
          answers.flatMap(({ tokens }) => tokens ?? []),
          (all) => `${mean(all).toFixed(0)} / ${Math.max(...all)}`,
        ),
    ],
    [
      'milliseconds, p50 / p95',
      (answers) =>
        ofNumbers(
          answers.flatMap(({ ms }) => ms ?? []),
          (all) => `${percentile(all, 0.5).toFixed(0)} / ${percentile(all, 0.95).toFixed(0)}`,
        ),
    ],
  ];
}

/** Prints the measures of all sides, then the differences of each pair with their interval of 90 %. */
export function report(sides: readonly Side[]): void {
  const questions = sides[0]?.answers.map(({ question }) => question) ?? [];
  const width = 20;
  console.log(`${''.padEnd(36)}${sides.map(({ name }) => name.slice(-width + 2).padStart(width)).join('')}`);
  for (const [name, of] of rowsFor(questions))
    console.log(`${name.padEnd(36)}${sides.map(({ answers }) => of(answers).padStart(width)).join('')}`);
  for (const [index, side] of sides.entries())
    for (const other of sides.slice(0, index)) compare(side, other);
}

const measures = {
  points: ({ points }: Score) => points,
  first: ({ first }: Score) => (first === undefined ? undefined : Number(first)),
  five: ({ five }: Score) => (five === undefined ? undefined : Number(five)),
} as const;

function compare(side: Side, other: Side): void {
  for (const [name, of] of Object.entries(measures)) {
    const differences = side.answers.flatMap(({ score }, index) => {
      const [one, two] = [of(score), of(other.answers[index]!.score)];
      return one === undefined || two === undefined ? [] : [one - two];
    });
    const { mean: by, low, high } = bootstrap(differences, 0.9);
    const interval = `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
    console.log(
      `${side.name} - ${other.name}, ${name}: ${by >= 0 ? '+' : ''}${by.toFixed(3)} ${interval} of ${differences.length}`,
    );
  }
}

function countOf(answers: readonly Scored[], isCounted: (score: Score) => boolean): number {
  return answers.filter(({ score }) => isCounted(score)).length;
}

function meanOf(values: readonly number[]): string {
  return ofNumbers(values, (all) => mean(all).toFixed(2));
}

function shareOf(part: number, whole: number): string {
  return `${part} of ${whole}`;
}

function ofNumbers(values: readonly number[], print: (values: readonly number[]) => string): string {
  return values.length === 0 ? none : print(values);
}
