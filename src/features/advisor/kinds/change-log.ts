import { fileClassOf, languageOf } from '../../../backends/codesearch/port.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { askedNames } from '../evidence/find-named.ts';
import { linesOf, readText, searchFor } from '../evidence/line-source.ts';
import { type CodeLine, codeSentence } from '../evidence/place-source.ts';
import type { Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { saysChange } from './weigh-commits.ts';

/** Numbers of files that are searched, of lines of one, and of lines that are stated; length of a line. */
const max = { files: 10, ofFile: 20, lines: 2, line: 200 } as const;
/** Paths of files that say what changed in each version, or of folders with one file for each. */
const changeLogs = '(?:^|/)(?:changes|changelog|history|news|releases?)[^/]*(?:/[^/]*)?$';
/** A line that begins the changes of a version. */
const heading = /^(?:#{1,5}\s*(?:[a-z][\w-]{0,40}\s+)?|(?:version|release)\s+)?\[?v?\d{1,5}\.\d/iu;

interface LoggedLines {
  readonly lines: readonly Sentence[];
  /** True if the first one names the change that the question asks for, such as a removal. */
  readonly saysChange: boolean;
}

/**
 * States lines of change logs that have the first name of a question, each with its version, those that name the change
 * first.
 */
export async function changeLogLines(inquiry: Inquiry): Promise<LoggedLines> {
  const [name] = askedNames(inquiry);
  if (name === undefined) return { lines: [], saysChange: false };
  const path = { kind: 'regex', source: changeLogs, caseSensitive: false, field: 'path' } as const;
  const text = { kind: 'literal', text: name, caseSensitive: true, field: 'content' } as const;
  const query = { kind: 'and', operands: [path, text] } as const;
  const repositories = askedRepositories(inquiry);
  const limits = { limit: max.files, matchesPerFile: max.ofFile };
  const lines = linesOf(inquiry, await searchFor(inquiry, { query, repositories, ...limits }));
  const says = (line: CodeLine): boolean => saysChange(inquiry.question.head, line.text).any;
  const logged = lines.filter((one) => isChangeLog(one.path));
  const first = logged.toSorted((a, b) => Number(says(b)) - Number(says(a))).slice(0, max.lines);
  const sentences = first.map(async (code): Promise<Sentence> => {
    const all = (await readText(inquiry, code.repository, code.path))?.split('\n') ?? [];
    const version = all.slice(0, code.line - 1).findLast((one) => heading.test(one));
    const under = version === undefined ? '' : ` under ${inlineCode(shorten(version.trim(), max.line))}`;
    return [`Change log${under}: `, ...codeSentence(inquiry, code, 'change log')];
  });
  return { lines: await Promise.all(sentences), saysChange: first.some(says) };
}

function isChangeLog(path: string): boolean {
  return fileClassOf(path, languageOf(path)) === 'log';
}
