import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { readCommandLine } from '../../src/cli/frame/read-command-line.ts';
import { UsageError } from '../../src/cli/frame/usage-error.ts';
import { projectRoot } from '../support/run/gates.ts';
import { shellWords } from '../support/run/readme.ts';

const kinds = { githost: 'gitea', connector: 'tracker' } as const;

/**
 * Returns the commands that messages print: quoted, from the program to the closing quote. Values that are known at run
 * time, and what people fill in, become a word.
 */
function printedCommands(source: string): readonly string[] {
  const joined = source.replaceAll(/(?<=['`]) \+\n\s*(?=['`])/g, '').replaceAll(/''|``|'`|`'/g, '');
  const quoted = [...joined.matchAll(/"orgctx ([^"\n]+)"|\\`orgctx ([^`\n]+)\\`/g)];
  return quoted.map(([, double, code]) =>
    (double ?? code ?? '')
      // Parts that the code composes, and words for one of several.
      .replaceAll('${files}', '')
      .replaceAll('COMMAND', 'serve')
      .replaceAll(
        /^(githost|connector) add <kind>/g,
        (_all, noun) => `${noun} add ${kinds[noun as keyof typeof kinds]}`,
      )
      .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'x')
      .replaceAll(/<[\w /]+>/g, 'x')
      .replaceAll(/ …| < \S+/g, ''),
  );
}

const src = join(projectRoot, 'src');
const files = globSync('**/*.ts', { cwd: src }).filter(
  (file) => !file.endsWith('.test.ts') && !file.endsWith('typed-program.ts'),
);
const printed = files.flatMap((file) => printedCommands(readFileSync(join(src, file), 'utf8')));

describe('messages print commands, which the command line parses', () => {
  it('that are found in the source', () => {
    expect(new Set(printed).size).toBeGreaterThan(40);
  });

  it.each([...new Set(printed)])('orgctx %s', async (line) => {
    expect(await readCommandLine(shellWords(line), commands)).toMatchObject({
      kind: line.endsWith('--help') ? 'help' : 'run',
    });
  });

  it('that the parser of the command line would refuse if they were wrong', async () => {
    const [wrong = ''] = printedCommands('throw new NotFound(`Run "orgctx githost sets ${name}" first.`)');
    expect(wrong).toBe('githost sets x');
    await expect(readCommandLine(shellWords(wrong), commands)).rejects.toThrow(UsageError);
  });
});
