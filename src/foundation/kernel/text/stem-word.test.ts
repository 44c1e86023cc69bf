import { expect, it } from 'vitest';
import { stemWord } from './stem-word.ts';

it.each([
  ['caresses', 'caress'],
  ['ties', 'ti'],
  ['agreed', 'agre'],
  ['hopping', 'hop'],
  ['filing', 'file'],
  ['happy', 'happi'],
  ['relational', 'relat'],
  ['generalization', 'gener'],
  ['computation', 'comput'],
  ['computes', 'comput'],
  ['validation', 'valid'],
  ['adoption', 'adopt'],
  ['controller', 'control'],
  ['parser', 'parser'],
  ['yields', 'yield'],
  ['is', 'is'],
  ['größe', 'größe'],
])('reduces %s to %s', (word, stem) => {
  expect(stemWord(word)).toBe(stem);
});
