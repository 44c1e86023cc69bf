import type { ComponentChildren, VNode } from 'preact';
import type { Message, StoredCitation } from '../../../features/conversations/conversation.ts';
import { shortCommit } from '../../../foundation/kernel/short-commit.ts';
import { el } from '../kit/element.ts';
import { foreignText } from '../kit/foreign-text.ts';
import { name } from '../kit/name.ts';
import { markdown } from './markdown.ts';

/** Renders an answer with its sources. `prefix` makes the ids of its elements unique on the page. */
export function answerParts(answer: Message, prefix: string): ComponentChildren {
  const { content, citations = [], model, notice } = answer;
  const ids = new Map(citations.map(({ n }) => [n, `${prefix}-source-${n}`]));
  return [
    el('div', { class: 'answer' }, ...markdown(content, ids)),
    notice !== undefined && el('p', null, notice.message),
    model !== undefined && el('p', { class: 'quiet' }, `Written by ${foreignText(model, 100)}.`),
    citations.length > 0 && [
      el('h3', { id: `${prefix}-sources` }, 'Sources'),
      el(
        'ol',
        { class: 'sources', 'aria-labelledby': `${prefix}-sources` },
        ...citations.map((citation) => source(citation, ids.get(citation.n) ?? '')),
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

function place({ repository, path, startLine, endLine }: StoredCitation): ComponentChildren {
  if (repository === undefined || path === undefined) return false;
  const lines = startLine === undefined ? '' : `:${startLine}-${endLine ?? startLine}`;
  return el(
    'span',
    { class: 'quiet' },
    ' ',
    el('bdi', null, foreignText(`${repository}/${path}${lines}`, 500)),
  );
}
