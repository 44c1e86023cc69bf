import { partsOf } from '../../question/read-trace.ts';
import type { Inquiry } from '../inquiry.ts';
import { isTestPath } from '../test-path.ts';
import { findText, type TextSource } from '../text-uses.ts';
import { isRaising } from './raising-line.ts';

const prose =
  /\.(?:md|mdx|rst|txt|adoc|html?|json|ya?ml|lock|svg|css|log)$|(?:^|\/)(?:changes|changelog|history)\b/iu;

/** Returns the line of the product with the longest fixed part of an error message; those that report it first. */
export async function findMessage(inquiry: Inquiry, message: string): Promise<TextSource | undefined> {
  const { ranked } = inquiry;
  const repositories = ranked.named.length > 0 ? ranked.named : ranked.repositories;
  for (const text of partsOf(message)) {
    const found = await findText(inquiry, { text, caseSensitive: true, repositories, around: 4 });
    const product = found.filter(({ path }) => !isTestPath(path) && !prose.test(path));
    const best = product.find(({ excerpt }) => isRaising(excerpt)) ?? product[0];
    if (best !== undefined) return best;
  }
  return undefined;
}
