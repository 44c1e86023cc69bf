import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Message, StoredCitation } from '../../../features/conversations/conversation.ts';
import { el } from '../kit/html/element.ts';
import { answerParts } from './answer-parts.ts';

const citation = (n: number, more: Partial<StoredCitation> = {}): StoredCitation =>
  ({
    n,
    url: 'https://ctx.example/',
    title: `source ${n}`,
    reason: '',
    excerpt: '',
    ...more,
  }) as StoredCitation;

function rendered(content: string, citations: readonly StoredCitation[]): string {
  const message = { content, citations } as unknown as Message;
  return renderToString(el('div', null, answerParts(message, 'answer-1')));
}

describe('the sources of an answer', () => {
  it('are those that it cites, and the others behind a summary', () => {
    const html = rendered('The lease ends [2].', [citation(1), citation(2), citation(3)]);
    const [shown = '', further = ''] = html.split('<details>');
    expect([shown.match(/source \d/g), further.match(/source \d/g)]).toEqual([
      ['source 2'],
      ['source 1', 'source 3'],
    ]);
    expect(further).toContain('2 more that the answer does not cite');
  });

  it('are all shown if it cites none', () => {
    expect(rendered('The lease ends.', [citation(1), citation(2)])).not.toContain('<details>');
  });

  it('name the place of a source once', () => {
    const place = { repository: 'team/service', path: 'src/lease.ts' };
    const html = rendered('[1] [2]', [
      citation(1, { ...place, title: 'function renew in team/service/src/lease.ts' }),
      citation(2, { ...place, title: 'renew' }),
    ]);
    expect(html.match(/src\/lease\.ts/g)).toHaveLength(2);
  });
});
