import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { isDeclarationFile } from '../../../../backends/languages/port.ts';
import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import { listSentence, type Sentence, type Statements, sayingOf } from '../../answer/statements.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, maxPassages, placeText } from '../inquiry.ts';
import { linesOfFile } from '../targets/file-lines.ts';
import { isProductFile, isTestPath } from '../test-path.ts';
import { lineSource, type TextSource } from '../text-uses.ts';
import { findUses } from '../uses/find-uses.ts';
import { asksForAmount } from './amounts.ts';
import { subjectTerms } from './choose-definition.ts';
import { type FoundValue, findValues } from './find-values.ts';

/** Asks which value something has. */
export const asksForValue =
  /\b(?:what(?:'s)?|which|where)\b[^?.]{0,60}\b(?:defaults?|limit|maximum|minimum|max|min)\b|\bby default\b|\bout of the box\b|\b(?:if|unless) (?:i|we|you|nobody|somebody|someone) (?:(?:don't|do not|never) )?(?:sets?|configures?|says?|specif(?:y|ies)|change)\b/iu;
const max = { files: 12, others: 2, readers: 3 } as const;
/** Number of lines before and after a value that are quoted. */
const around = 3;
/** Minimum share of the words of the question that a value must have. */
const minCoverage = 0.6;
/** Minimum score of a value that is named besides the best one, as a share of its score. */
const minShare = 0.75;
/** Exponent of the rank of a file in the score of its values. */
const fileExponent = 0.5;

interface PlacedValue extends FoundValue {
  readonly source: TextSource;
}

/** Answers which value something has by default, and how large a limit is; `undefined` if no line gives the value. */
export async function answerValue(inquiry: Inquiry): Promise<Statements | undefined> {
  if (!asksForValue.test(inquiry.asked) && !asksForAmount.test(inquiry.asked)) return undefined;
  const [best, ...others] = await rankedValues(inquiry);
  if (best === undefined) return undefined;
  const rivals = others
    .filter(({ score, name }) => score >= best.score * minShare && name !== best.name)
    .slice(0, max.others);
  const isSure = best.coverage === 1 && rivals.length === 0;
  const where = best.around === undefined ? '' : ` in ${inlineCode(best.around.name)}`;
  const place = placeText(inquiry, best.source);
  const what = `${inlineCode(best.name)} is ${inlineCode(best.value)}, set at ${place}${where}`;
  return {
    lead: [[isSure ? what : `The best match: ${what}`, best.source, sayingOf(best.comment)]],
    reasons: [
      ...(await readersOf(inquiry, best)),
      ...listSentence(
        'Also set: ',
        rivals.map(
          ({ text, source }): Sentence => [`${inlineCode(text)} (${placeText(inquiry, source)})`, source],
        ),
      ),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

async function rankedValues(inquiry: Inquiry): Promise<readonly PlacedValue[]> {
  const { ranked } = inquiry;
  const terms = subjectTerms(inquiry);
  const isNumeric = asksForAmount.test(inquiry.asked);
  const files = ranked.files
    .filter((file) => isProductFile(file) && !isDeclarationFile(file.path))
    .slice(0, max.files);
  const best = Math.max(...files.map(({ score }) => score));
  const found: PlacedValue[] = [];
  const pause = openPauses();
  for (const file of files) {
    const { repository: repositoryId, path, definitions } = file;
    const lines = await linesOfFile(inquiry, { repositoryId, path });
    const prior = (file.score / best) ** fileExponent;
    for (const value of findValues(lines, definitions, { path, terms })) {
      const isPossible = value.coverage >= minCoverage && (!isNumeric || /\d/u.test(value.value));
      const source = !isPossible ? undefined : sourceOf(inquiry, file, lines, value);
      if (source !== undefined) found.push({ ...value, score: value.score * prior, source });
    }
    await pause();
  }
  return found.toSorted((a, b) => b.score - a.score);
}

function sourceOf(
  inquiry: Inquiry,
  file: RankedFile,
  lines: readonly string[],
  { line, name }: FoundValue,
): TextSource | undefined {
  const [text = '', before, after] = [
    lines[line - 1],
    lines.slice(Math.max(0, line - 1 - around), line - 1),
    lines.slice(line, line + around),
  ];
  return lineSource(inquiry, file, { line, text, before, after }, `sets ${name}`);
}

/** Says where the value is read, if its name is that of a constant. */
async function readersOf(inquiry: Inquiry, { name, source }: PlacedValue): Promise<Sentence[]> {
  if (!/[a-z\d][A-Z]|\w_\w/u.test(name)) return [];
  const uses = (await findUses(inquiry, name)).filter(
    (use) =>
      use.kinds.has('read') &&
      use.source.repositoryId === source.repositoryId &&
      !isTestPath(use.source.path),
  );
  const shown = uses
    .slice(0, max.readers)
    .map((use): Sentence => [placeText(inquiry, use.source), use.source]);
  return listSentence('It is read at ', shown, uses.length);
}
