import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Parses a shell script until V8 would optimize the lexer, waits for that, and prints the peak memory in MB. */
const program = `
  const { openParsers } = await import(${JSON.stringify(new URL('open-parsers.ts', import.meta.url).href)});
  const { shell } = await import(${JSON.stringify(new URL('../scripts/shell.ts', import.meta.url).href)});
  const { parser } = (await openParsers(3072))(shell);
  parser.parse('if [ -n "$1" ]; then echo "$(date) $1"; fi\\n'.repeat(3_000)).delete();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  console.log(process.resourceUsage().maxRSS / 1024);`;

it('does not optimize the lexer of a grammar, which would take 500 MB', () => {
  const megabytes = execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
  expect(Number(megabytes)).toBeLessThan(300);
});
