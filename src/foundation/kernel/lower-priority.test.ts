import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const module = new URL('lower-priority.ts', import.meta.url).href;
const program = `
  const { lowerPriority } = await import(${JSON.stringify(module)});
  lowerPriority();
  console.log((await import('node:os')).getPriority(0));
`;

it.runIf(process.platform === 'linux')(
  'keeps the priority of a process whose priority is lower already',
  () => {
    const words = ['-n', '19', process.execPath, '--input-type=module', '--eval', program];
    expect(execFileSync('nice', words, { encoding: 'utf8' })).toBe('19\n');
  },
);
