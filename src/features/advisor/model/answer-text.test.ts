import { expect, it } from 'vitest';
import { AnswerText } from './answer-text.ts';
import { IssuedSources } from './issued-sources.ts';

it('counts the text of former turns also after thinking was dropped', () => {
  const text = new AnswerText(new IssuedSources(), 10, () => undefined);
  const write = (piece: string): void => text.take({ kind: 'text', text: piece });
  write('six...');
  text.endTurn(true);
  write('two');
  text.take({ kind: 'retract' });
  write('four');
  expect(() => write('.')).toThrow(expect.objectContaining({ said: 'it is too long' }));
});
