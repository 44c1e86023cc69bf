import { describe, expect, it } from 'vitest';
import { readAsked } from './read-asked.ts';

describe('readAsked', () => {
  it.each([
    [
      'We call it in a Flask subclass of ours, what ends up calling open_session? I want to override it there.',
      'what ends up calling open_session?',
    ],
    ['We move to v3 — when did ctx.origin stop being the host?', 'when did ctx.origin stop being the host?'],
    ['Who reviews the signing of cookies? My change waits for weeks.', 'Who reviews the signing of cookies?'],
  ])('takes what %s asks', (prompt, asked) => {
    expect(readAsked(prompt).asked).toBe(asked);
  });

  it.each([
    'where is the default limit of the JSON body set',
    'If I pass partitioned, what happens when samesite is None, and where is it stored?',
    'Our build fails with an unknown header. Where does that come from?',
    'fix(router): match the root',
  ])('takes all of %s', (prompt) => {
    expect(readAsked(prompt)).toMatchObject({ asked: prompt, context: [] });
  });

  it('keeps what the prompt tells besides apart, and names of it only if the question names nothing', () => {
    const { subject, context } = readAsked(
      'My handler uses sendFile. Which function parses the range header?',
    );
    expect(subject.identifiers).toEqual(['sendFile']);
    expect(subject.terms).toEqual(['handler', 'sendFile', 'function', 'parses', 'range', 'header']);
    expect(context).toEqual(['handler', 'sendFile']);
    expect(readAsked('My handler uses sendFile. Who calls parseRange?').subject.identifiers).toEqual([
      'parseRange',
    ]);
  });

  it('leaves everyday words out of a question, and keeps them in a change', () => {
    expect(readAsked('I love lazy routes. Where are lazy routes matched?').subject.terms).not.toContain(
      'love',
    );
    expect(readAsked('Show the love for lazy routes').subject.terms).toContain('love');
  });

  it('is fast for hostile prompts', () => {
    const started = performance.now();
    for (const part of ['? ', ', where ', 'I am, ', '— ', '. what? I '])
      readAsked(part.repeat(32_000 / part.length));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
