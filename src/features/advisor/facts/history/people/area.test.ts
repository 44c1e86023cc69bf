import { expect, it } from 'vitest';
import { areaOf } from './area.ts';

it('finds the folder or file whose name is a word of the question', () => {
  const file = (path: string) => ({ path, repository: 'r', fileClass: 'source' });
  const files = [
    'context.go',
    'drops/site.go',
    'binding/form.go',
    'binding/json.go',
    'render/a.go',
    'routing.go',
  ].map(file);
  const area = (...terms: string[]) =>
    areaOf({ asked: '', ranked: { files, subject: { terms }, repositories: [], named: [] } } as never)?.path;
  expect(area('data', 'binding')).toBe('binding');
  expect(area('handling', 'drops')).toBe('drops');
  expect(area('rendering')).toBe('render');
  expect(area('routing')).toBe('routing.go');
  expect(area('sessions')).toBeUndefined();
});
