import type { ComponentChildren, VNode } from 'preact';
import type { Answer, Citation } from '../../../features/advisor/answer.ts';
import { shortCommit } from '../../../foundation/kernel/short-commit.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { age } from '../kit/age.ts';
import { textArea } from '../kit/choice-fields.ts';
import { el } from '../kit/element.ts';
import { foreignText } from '../kit/foreign-text.ts';
import { actions, button, type FieldErrors, form } from '../kit/form.ts';
import { name, nameText } from '../kit/name.ts';
import { pageHeading, section, table } from '../kit/parts.ts';
import { markdown } from './markdown.ts';

export interface AskData {
  readonly prompt?: string;
  readonly answer?: Answer;
  readonly errors?: FieldErrors;
}

/** The question with its answer. Links of an answer lead only to the sources that it cites. */
export function askView(visit: Visit, { prompt, answer, errors }: AskData): AppView {
  return {
    title: prompt === undefined ? 'Ask' : `Ask: ${nameText(prompt, 60)}`,
    status: errors === undefined ? 200 : 400,
    content: [
      pageHeading('Ask'),
      answer !== undefined && answerCard(answer),
      answer !== undefined && answer.citations.length > 0 && sourcesCard(answer.citations),
      answer !== undefined && answer.freshness.length > 0 && freshnessCard(visit, answer),
      section(
        'question',
        answer === undefined ? 'Your question' : 'Ask again',
        form(
          { ...visit.form('/ask'), errors },
          textArea({
            name: 'prompt',
            label: 'Question',
            hint: 'Ask how something works, where it is or what happened; name files, symbols or errors where you know them.',
            value: prompt ?? visit.query('q'),
            error: errors?.['prompt'],
          }),
          actions(button('Ask', { primary: true })),
        ),
      ),
    ],
  };
}

function answerCard({ answer, citations, model, notice, truncated }: Answer): VNode {
  const known = new Set(citations.map(({ n }) => n));
  return section(
    'answer',
    'Answer',
    el('div', { class: 'answer' }, ...markdown(answer, known)),
    truncated &&
      el('p', { class: 'quiet' }, 'More sources match than are shown. Ask a narrower question to see them.'),
    notice !== undefined && el('p', null, notice.message),
    model !== undefined && el('p', { class: 'quiet' }, `Written by ${foreignText(model, 100)}.`),
  );
}

function sourcesCard(citations: readonly Citation[]): VNode {
  return section('sources', 'Sources', el('ol', { class: 'sources' }, ...citations.map(source)));
}

function source(citation: Citation): VNode {
  const { n, url, title, reason, excerpt, commit } = citation;
  return el(
    'li',
    { id: `source-${n}`, value: n },
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

function place({ repository, path, startLine, endLine }: Citation): ComponentChildren {
  if (repository === undefined || path === undefined) return false;
  const lines = startLine === undefined ? '' : `:${startLine}-${endLine ?? startLine}`;
  return el(
    'span',
    { class: 'quiet' },
    ' ',
    el('bdi', null, foreignText(`${repository}/${path}${lines}`, 500)),
  );
}

function freshnessCard(visit: Visit, { freshness }: Answer): VNode {
  return el(
    'details',
    null,
    el('summary', null, 'How fresh the sources are'),
    table({
      caption: 'Repositories that were searched',
      columns: ['Repository', 'Commit', 'Indexed'],
      rows: freshness.map(({ repository, indexedCommit, indexedAt }) => [
        name(repository),
        shortCommit(indexedCommit),
        age(indexedAt, visit.now),
      ]),
    }),
  );
}
