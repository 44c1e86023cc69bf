import type { ComponentChildren, VNode } from 'preact';
import type { Message, StoredCitation } from '../../../features/conversations/conversation.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name } from '../kit/html/name.ts';
import { markdown } from './markdown.ts';

/** Renders an answer with its sources. `prefix` makes the ids of its elements unique on the page. */
export function answerParts(answer: Message, prefix: string): ComponentChildren {
  const { content, citations = [], model, notice } = answer;
  const ids = new Map(citations.map(({ n }) => [n, `${prefix}-source-${n}`]));
  const isCited = ({ n }: StoredCitation): boolean => content.includes(`[${n}]`);
  // Without any cited source all of them are shown.
  const cited = citations.some(isCited) ? citations.filter(isCited) : citations;
  const further = citations.filter((citation) => !cited.includes(citation));
  const sources = (shown: readonly StoredCitation[], label: string): VNode =>
    el(
      'ol',
      { class: 'sources', 'aria-label': label },
      ...shown.map((citation) => source(citation, ids.get(citation.n) ?? '')),
    );
  return [
    el('div', { class: 'answer' }, ...markdown(content, ids)),
    notice !== undefined && el('p', null, notice.message),
    model !== undefined && el('p', { class: 'quiet' }, `Written by ${foreignText(model, 100)}.`),
    citations.length > 0 && [
      el('h3', null, 'Sources'),
      sources(cited, 'Sources'),
      further.length > 0 &&
        el(
          'details',
          null,
          el('summary', null, `${further.length} more that the answer does not cite`),
          sources(further, 'Further sources'),
        ),
    ],
  ];
}

function source(citation: StoredCitation, id: string): VNode {
  const { n, url, title, reason, excerpt, commit } = citation;
  return el(
    'li',
    { id, value: n },
    /^https?:\/\//i.test(url) ? el('a', { href: url }, name(title)) : name(title),
    place(citation),
    commit !== undefined && el('span', { class: 'quiet' }, ` at ${shortCommit(commit)}`),
    reason !== '' && el('span', { class: 'quiet' }, `: ${foreignText(reason, 200)}`),
    excerpt !== '' &&
      el(
        'details',
        null,
        el('summary', null, 'Passage', el('span', { class: 'unseen' }, ` of source ${n}`)),
        el('pre', { tabIndex: 0 }, el('code', null, excerpt)),
      ),
  );
}

/** The place of a source, unless its title names it. */
function place({ repository, path, startLine, endLine, title }: StoredCitation): ComponentChildren {
  if (repository === undefined || path === undefined || title.includes(path)) return false;
  const lines = startLine === undefined ? '' : `:${startLine}-${endLine ?? startLine}`;
  return el(
    'span',
    { class: 'quiet' },
    ' ',
    el('bdi', null, foreignText(`${repository}/${path}${lines}`, 500)),
  );
}
