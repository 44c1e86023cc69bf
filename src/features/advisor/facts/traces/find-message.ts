import { partsOf } from '../../question/prompt/read-trace.ts';
import type { Inquiry } from '../inquiry.ts';
import { isTestPath } from '../test-path.ts';
import { findText, type TextSource } from '../text-uses.ts';
import { isComment, isRaising, isReporting } from './raising-line.ts';

const prose =
  /\.(?:md|mdx|rst|txt|adoc|html?|json|ya?ml|lock|svg|css|log)$|(?:^|\/)(?:changes|changelog|history)\b/iu;

/** Number of words of a text that is looked for when the code joins a message of several texts, and of such texts. */
const max = { words: 4, windows: 4 } as const;
/** Number of words from which a message may be joined of several texts. */
const minWords = 6;

/** Returns the line of the product with the longest fixed part of an error message; those that report it first. */
export async function findMessage(inquiry: Inquiry, message: string): Promise<TextSource | undefined> {
  const parts = partsOf(message);
  for (const text of parts) {
    const found = await findInProduct(inquiry, text);
    const best =
      found.find(({ excerpt }) => isRaising(excerpt)) ??
      found.find(({ excerpt }) => isReporting(excerpt)) ??
      found[0];
    if (best !== undefined) return best;
  }
  for (const text of windowsOf(parts[0] ?? '')) {
    const best = (await findInProduct(inquiry, text)).find(({ excerpt }) => isReporting(excerpt));
    if (best !== undefined) return best;
  }
  return undefined;
}

async function findInProduct(inquiry: Inquiry, text: string): Promise<readonly TextSource[]> {
  const { ranked } = inquiry;
  const repositories = ranked.named.length > 0 ? ranked.named : ranked.repositories;
  const found = await findText(inquiry, { text, caseSensitive: true, repositories, around: 4 });
  return found.filter(({ path, excerpt }) => {
    const line = excerpt.split('\n').find((one) => one.includes(text));
    return !isTestPath(path) && !prose.test(path) && !(line !== undefined && isComment(line));
  });
}

function windowsOf(part: string): readonly string[] {
  const words = part.split(' ');
  if (words.length < minWords) return [];
  const starts = Array.from({ length: max.windows }, (_, index) => index * max.words);
  return starts
    .map((start) => words.slice(start, start + max.words))
    .filter(({ length }) => length === max.words)
    .map((some) => some.join(' '));
}
