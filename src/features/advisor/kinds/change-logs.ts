import { fileClassOf, languageOf } from '../../../backends/codesearch/port.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { nameFinder } from '../evidence/changed-lines.ts';
import { linesOf, readText, searchFor } from '../evidence/line-source.ts';
import { type CodeLine, codeSentence } from '../evidence/place-source.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { saysChange } from './weigh-commits.ts';

/** Numbers of files that are searched, of lines of one, and of lines that are stated; length of a line. */
const ofLogs = { files: 10, ofFile: 20, lines: 2, line: 200 } as const;
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
 * States lines of the change logs of some repositories that have the name that a question asks about, each with its
 * version, those that name the change first.
 */
export async function changeLogLines(
  inquiry: Inquiry,
  name: string | undefined,
  repositories: readonly SearchableRepository[],
): Promise<LoggedLines> {
  if (name === undefined) return { lines: [], saysChange: false };
  const path = { kind: 'regex', source: changeLogs, caseSensitive: false, field: 'path' } as const;
  const text = { kind: 'word', text: name } as const;
  const query = { kind: 'and', operands: [path, text] } as const;
  const limits = { limit: ofLogs.files, matchesPerFile: ofLogs.ofFile };
  const lines = linesOf(inquiry, await searchFor(inquiry, { query, repositories, ...limits }));
  const saysName = nameFinder(name);
  const says = ({ text: line }: CodeLine): boolean => saysChange(inquiry.question.head, line).any;
  const isOwn = (code: CodeLine): boolean => saysName(code.text) && says(code);
  const logged = lines.filter((one) => isChangeLog(one.path));
  const first = logged
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || Number(says(b)) - Number(says(a)))
    .slice(0, ofLogs.lines);
  const sentences = first.map(async (code): Promise<Sentence> => {
    const all = (await readText(inquiry, code.repository, code.path))?.split('\n') ?? [];
    const version = all.slice(0, code.line - 1).findLast((one) => heading.test(one));
    const under = version === undefined ? '' : ` under ${inlineCode(shorten(version.trim(), ofLogs.line))}`;
    return [`Change log${under}: `, ...codeSentence(inquiry, code, 'change log')];
  });
  return { lines: await Promise.all(sentences), saysChange: first.some(says) };
}

function isChangeLog(path: string): boolean {
  return fileClassOf(path, languageOf(path)) === 'log';
}
