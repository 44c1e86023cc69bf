import { isProse, type RankedPassage } from '../../../backends/codesearch/port.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { fileUri } from '../../search/file-url.ts';
import type { CodeSource } from '../answer.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { decidingLines } from './deciding-lines.ts';

/** Maximum length of the text of a passage: 330 tokens of four characters. */
const maxText = 1_320;

/** Returns a ranked passage as a source; none if its repository was removed meanwhile. */
export function passageSource(
  { deps, scope, ranked, question }: Pick<Inquiry, 'deps' | 'scope' | 'ranked' | 'question'>,
  passage: RankedPassage,
): CodeSource[] {
  const repository = ranked.repositories.find(({ id }) => id === passage.repository);
  if (repository === undefined) return [];
  const { path, commit, startLine, endLine, language, fileClass, reasons, score, text } = passage;
  const place = { path, commit, startLine, endLine };
  return [
    {
      kind: isProse(fileClass) ? 'document' : 'code',
      repositoryId: repository.id,
      repository: repository.name,
      ...place,
      language,
      uri: fileUri(repository.name, place),
      url: deps.urls.file(scope, repository, place),
      title: titleOf(passage),
      excerpt: decidingLines(text, question.prompt, maxText),
      reasons: reasons.slice(0, maxReasons).map(visibleLine),
      score,
    },
  ];
}

const maxReasons = 3;

/** Describes a passage in one line: `method \`Lease.renew\``, or the first line of a block. */
function titleOf({ definition, containers, text }: RankedPassage): string {
  if (definition === undefined) {
    const first = text.split('\n').find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '';
    return inlineCode(first.trim().slice(0, maxTitle).toWellFormed());
  }
  const { name, kind } = definition;
  const qualified = [...containers.slice(0, maxContainers).toReversed(), name].join('.');
  return `${kind === 'other' ? 'definition' : kind} ${inlineCode(qualified.slice(-maxName))}`;
}

const maxTitle = 80;
const maxContainers = 2;
const maxName = 120;
