import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { givesReason } from '../../text/reasons.ts';
import { stemsOf } from '../../text/split-words.ts';

/** Limits of what of a body is read and quoted: paragraphs, sentences and characters. */
const max = { paragraphs: 30, sentences: 60, quoted: 2, length: 300, references: 3 } as const;
/** Texts of forms and trailers of a message, which give no reason. */
const noReason =
  /^(?:#|Merge (?:pull request|branch)\b|[|>] |[A-Z][A-Za-z]+(?:-[A-Za-z]+)+: |https?:\/\/\S+$|-{3,}|={3,}|(?:fix(?:e[sd])?|close[sd]?|refs?|see|(?:re)?solve[sd]?|relates? to|related to|ref(?:erence)?s?)\b.{0,20}#\d+\b|\(cherry picked|<!--|\[[ x]\])/iu;
/** Sentences to reviewers, and about what goes with any change. */
const isAside =
  /\bplease\b|\bforce-push|^(?:chore|docs?|tests?|style|ci|build)\b[^:]{0,30}:|^(?:add|update|fix|improve|more|new|remove)\w*\s+(?:\w+\s+){0,3}(?:tests?|specs?|docs?|changelog|comments?|lint\w*|typos?|type ?hints?)\b/iu;
const listMark = /^(?:[-*+] |\d+[.)] )/u;
const sentenceEnd = /(?<=[.!?])\s+(?=[\p{Lu}`"'([])/u;
const weight = { reason: 1.5, first: 1, shared: 0.5, item: -0.7 } as const;
/** Number of shared words that count. */
const maxShared = 3;

interface BodySentence {
  readonly text: string;
  readonly isItem: boolean;
}

/**
 * Returns the sentences of the body of a message that explain its commit, at most two, in their order: those that give
 * a reason, have words of the question or come first. Sentences that only repeat the subject do not count.
 */
export function explanationOf(subject: string, body: string, wanted: ReadonlySet<string>): readonly string[] {
  const known = new Set(stemsOf(subject));
  const isNew = ({ text }: BodySentence): boolean =>
    stemsOf(text).filter((word) => !known.has(word)).length > 1;
  const sentences = sentencesOf(body).filter(isNew);
  const scored = sentences.map(({ text, isItem }, at) => {
    const shared = new Set(stemsOf(text).filter((word) => wanted.has(word))).size;
    const score =
      (givesReason.test(text) ? weight.reason : 0) +
      (at === 0 ? weight.first : 0) +
      weight.shared * Math.min(maxShared, shared) +
      (isItem ? weight.item : 0);
    return { text, at, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, max.quoted)
    .toSorted((a, b) => a.at - b.at)
    .map(({ text }) => text);
}

function sentencesOf(body: string): readonly BodySentence[] {
  const found: BodySentence[] = [];
  for (const block of withoutSamples(body).split(/\n\s*\n|\n(?=\s*(?:[-*+] |\d+[.)] ))/u, max.paragraphs)) {
    const lines = block.split('\n').filter((line) => !noReason.test(line.trim()));
    const text = lines.join(' ').trim();
    if (text === '') continue;
    const isItem = listMark.test(text);
    for (const part of text.replace(listMark, '').split(sentenceEnd)) {
      const sentence = visibleLine(part).replaceAll(/\s+/gu, ' ').trim();
      if (found.length < max.sentences && sentence.split(' ').length > 3 && !isAside.test(sentence)) {
        found.push({ text: shortened(sentence), isItem });
      }
    }
  }
  return found;
}

/** Removes fenced code, which says nothing in sentences. */
function withoutSamples(body: string): string {
  let isSample = false;
  const lines = body.split('\n').filter((line) => {
    const isFence = /^\s*(?:```|~~~)/u.test(line);
    if (isFence) isSample = !isSample;
    return !isFence && !isSample;
  });
  return lines.join('\n');
}

function shortened(text: string): string {
  return text.length <= max.length ? text : `${text.slice(0, max.length).replace(/\s+\S*$/u, '')}…`;
}

/** Returns the numbers of issues and the ids of advisories that a text names. */
export function referencesOf(text: string): readonly string[] {
  const found = text.match(/#\d{1,7}\b|\bGHSA(?:-[\da-z]{4}){3}\b|\bCVE-\d{4}-\d{4,7}\b/giu) ?? [];
  return [...new Set(found)].slice(0, max.references);
}
