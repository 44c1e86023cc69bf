import { fileClassOf, languageOf } from '../../../backends/codesearch/port.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { searchFor } from '../evidence/line-source.ts';
import type { Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { codeSentence } from './code-sentence.ts';

/** Numbers of files that are searched and of lines that are stated, and length of a line. */
const max = { files: 10, lines: 2, line: 200 } as const;
/** Paths of files that say what changed in each version, or of folders with one file for each. */
const changeLogs = '(?:^|/)(?:changes|changelog|history|news|releases?)[^/]*(?:/[^/]*)?$';
/** A line that begins the changes of a version. */
const heading = /^(?:#{1,5}\s*(?:[a-z][\w-]{0,40}\s+)?|(?:version|release)\s+)?\[?v?\d{1,5}\.\d/iu;

/** States the lines of change logs that have the first name of a question, each with its version. */
export async function changeLogLines(
  inquiry: Inquiry,
  [name]: readonly string[],
): Promise<readonly Sentence[]> {
  if (name === undefined) return [];
  const { deps, scope, signal } = inquiry;
  const path = { kind: 'regex', source: changeLogs, caseSensitive: false, field: 'path' } as const;
  const text = { kind: 'literal', text: name, caseSensitive: true, field: 'content' } as const;
  const repositories = askedRepositories(inquiry);
  const query = { kind: 'and', operands: [path, text] } as const;
  const result = await searchFor(inquiry, { query, repositories, limit: max.files });
  const found = (result?.files ?? [])
    .filter((file) => fileClassOf(file.path, languageOf(file.path)) === 'log')
    .flatMap((file) => file.matches.map((match) => ({ ...file, ...match })))
    .filter(({ line }) => line > 0)
    .slice(0, max.lines);
  const byFile = Map.groupBy(found, (one) => `${one.repository} ${one.path}`).values();
  const sentences = Array.from(byFile, async (ofFile): Promise<Sentence[]> => {
    const { repository: id, path: file } = ofFile[0]!;
    const repository = repositories.find((one) => one.id === id);
    const read = await deps.sources.readFile(scope, { repository: id, path: file }, signal);
    if (repository === undefined || read?.content === undefined) return [];
    const all = read.content.split('\n');
    return ofFile.map(({ line, text: own }) => {
      const version = all.slice(0, line - 1).findLast((one) => heading.test(one));
      const under = version === undefined ? '' : ` under ${inlineCode(shorten(version.trim(), max.line))}`;
      const code = { repository, path: file, line, text: own };
      return [`Change log${under}: `, ...codeSentence(inquiry, code, 'change log')];
    });
  });
  return (await Promise.all(sentences)).flat();
}
