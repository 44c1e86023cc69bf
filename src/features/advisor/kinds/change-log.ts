import { fileClassOf, languageOf } from '../../../backends/codesearch/port.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { askedNames } from '../evidence/find-named.ts';
import { linesOf, readText, searchFor } from '../evidence/line-source.ts';
import { codeSentence } from '../evidence/place-source.ts';
import type { Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** Numbers of files that are searched and of lines that are stated, and length of a line. */
const max = { files: 10, lines: 2, line: 200 } as const;
/** Paths of files that say what changed in each version, or of folders with one file for each. */
const changeLogs = '(?:^|/)(?:changes|changelog|history|news|releases?)[^/]*(?:/[^/]*)?$';
/** A line that begins the changes of a version. */
const heading = /^(?:#{1,5}\s*(?:[a-z][\w-]{0,40}\s+)?|(?:version|release)\s+)?\[?v?\d{1,5}\.\d/iu;

/** States the lines of change logs that have the first name of a question, each with its version. */
export async function changeLogLines(inquiry: Inquiry): Promise<readonly Sentence[]> {
  const [name] = askedNames(inquiry);
  if (name === undefined) return [];
  const path = { kind: 'regex', source: changeLogs, caseSensitive: false, field: 'path' } as const;
  const text = { kind: 'literal', text: name, caseSensitive: true, field: 'content' } as const;
  const repositories = askedRepositories(inquiry);
  const query = { kind: 'and', operands: [path, text] } as const;
  const result = await searchFor(inquiry, { query, repositories, limit: max.files });
  const lines = linesOf(inquiry, result).filter((one) => isChangeLog(one.path));
  return await Promise.all(
    lines.slice(0, max.lines).map(async (code): Promise<Sentence> => {
      const all = (await readText(inquiry, code.repository, code.path))?.split('\n') ?? [];
      const version = all.slice(0, code.line - 1).findLast((one) => heading.test(one));
      const under = version === undefined ? '' : ` under ${inlineCode(shorten(version.trim(), max.line))}`;
      return [`Change log${under}: `, ...codeSentence(inquiry, code, 'change log')];
    }),
  );
}

function isChangeLog(path: string): boolean {
  return fileClassOf(path, languageOf(path)) === 'log';
}
