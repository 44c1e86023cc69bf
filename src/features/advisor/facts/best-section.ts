import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../search/file-url.ts';
import type { CodeSource, Evidence } from '../answer.ts';
import { excerptOf } from '../sources/excerpt.ts';
import { firstSentence, proseOf } from '../text/first-sentence.ts';
import { subjectTerms } from './definitions/choose-definition.ts';
import type { Inquiry } from './inquiry.ts';
import { rankSections } from './sections.ts';

const max = { documents: 8, lines: 40 } as const;
/** Exponent of the rank of a document in the scores of its sections. */
const fileExponent = 0.5;

const markup = /^(?:Markdown|MDX|reStructuredText|AsciiDoc|Org)$/u;

/** Returns the section of the best documents that fits the question; `undefined` if none does. */
export async function bestSection(inquiry: Inquiry): Promise<Evidence<CodeSource> | undefined> {
  const { deps, scope, signal, ranked, code } = inquiry;
  const files = ranked.files
    .filter(
      ({ fileClass, language }) => (fileClass === 'docs' || fileClass === 'readme') && markup.test(language),
    )
    .slice(0, max.documents);
  const top = Math.max(...files.map(({ score }) => score));
  const documents = [];
  const pause = openPauses();
  for (const file of files) {
    const { repository, path, score } = file;
    const content = (await deps.sources.readFile(scope, { repository, path }, signal))?.content;
    if (content !== undefined)
      documents.push({ file, path, lines: content.split(/\r?\n/u), weight: (score / top) ** fileExponent });
    await pause();
  }
  const [best] = rankSections(documents, subjectTerms(inquiry));
  const repository = ranked.repositories.find(({ id }) => id === best?.document.file.repository);
  if (best === undefined || repository === undefined) return undefined;
  const { path, commit, language, reasons } = best.document.file;
  const { startLine } = best;
  const endLine = Math.min(best.endLine, startLine + max.lines - 1);
  const lines = best.document.lines.slice(startLine - 1, endLine);
  const place = { path, commit, startLine, endLine };
  const summary = firstSentence(proseOf(lines.slice(1)));
  return {
    kind: 'document',
    repositoryId: repository.id,
    repository: repository.name,
    ...place,
    language,
    uri: fileUri(repository.name, place),
    url: deps.urls.file(scope, repository, place),
    title: visibleLine(`${best.heading} in ${repository.name}/${path}:${startLine}-${endLine}`),
    excerpt: excerptOf(lines),
    reasons: reasons.map(visibleLine),
    heading: best.heading,
    ...(summary === undefined ? {} : { summary }),
    rank: 1,
    score: code[0]?.score ?? 0,
  };
}
