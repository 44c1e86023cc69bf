import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { unqualified } from '../../search/symbol-name.ts';
import { codeOf, isProduct, lineSentence, searchLines } from '../evidence/line-source.ts';
import { nextCall } from '../evidence/place-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** Numbers of files that are searched, of lines of one, of lines that are shown, and of lines around one. */
const max = { files: 200, ofFile: 200, shown: 8, around: 11 } as const;
/** Matches a question where an error is raised, with its name: "where is X thrown", "what raises X". */
const raises =
  /\b(?:throws?|raises?) (?:an? |the )?([\p{L}\p{N}_.:$]{1,80})|([\p{L}\p{N}_.:$]{1,80}) (?:be |being |get )?(?:thrown|raised|returned)\b/u;
/** Matches a line that names an error without raising it: an import, or the result of a comparison. */
const comparesOrImports =
  /^\s*(?:from|import|export)\b|\breturn\b(?!.{0,200}\b(?:throw|raise|panic|Err)\b).{0,200}(?:\b(?:is|instanceof|isinstance|in|case)\b|[=!]=)/u;

/** Answers where an error is raised: with the lines that throw, raise or return what has its name. */
export async function raisedAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { head, subject } = inquiry.question;
  const [, before, after] = raises.exec(head.replaceAll('`', '')) ?? [];
  const name = withoutEnd(before ?? after ?? '', '.:');
  if (!subject.identifiers.includes(name) && name.charAt(0) === name.charAt(0).toLowerCase())
    return undefined;
  const last = escapePattern(unqualified(name));
  const words = String.raw`\b(?:throw|raise|panic|abort|reject|Err)\b.{0,80}|\breturn\s.{0,30}`;
  const text = `(?:${words})\\b${last}\\b`;
  const search = { text, form: 'pattern', limit: max.files, matchesPerFile: max.ofFile } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  const found = lines.filter((one) => codeOf(one.text) !== '' && !comparesOrImports.test(one.text));
  const product = found.filter(isProduct);
  const shown = (product.length > 0 ? product : found).slice(0, max.shown);
  if (shown.length === 0) return undefined;
  const stated = shown.map((one) => lineSentence(inquiry, one, { reason: 'raises it', max: max.around }));
  const tests = found.length - product.length;
  const others = tests > 0 ? `, and ${tests} in tests and other files` : '';
  return {
    lines: [
      [
        `Lines that throw or return ${inlineCode(name)}: ${product.length}${isWhole ? '' : ' or more'}${others}.`,
      ],
      ...(await Promise.all(stated)),
    ],
    next: nextCall('find_references', { name }),
    passages: 0,
  };
}
