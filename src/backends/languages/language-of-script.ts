import { withoutEnd } from '../../foundation/kernel/text/cut-text.ts';
import { byWord } from './languages.ts';

const byInterpreter = byWord(({ interpreters }) => interpreters);

/** Programs that start the program in their arguments. */
const launchers: ReadonlySet<string> = new Set(['env', 'busybox', 'toybox', 'npx', 'bunx']);
/** The options of `env`, of which `-S` may stand before a program, and the variables that it sets. */
const options = /\s(?:(?:-u|-C|--unset|--chdir)\s+\S+|-i?S(?=\S)|-\S*|\S*=\S*)/g;

/** Maximum length of the first line; Linux reads as much of it. */
const maxLine = 256;

/** Returns the language of a script by the interpreter in its first line, such as `#!/usr/bin/env -S python3 -u`. */
export function languageOfScript(text: Uint8Array | string): string | undefined {
  const start =
    typeof text === 'string'
      ? text.slice(0, maxLine)
      : Buffer.from(text.subarray(0, maxLine)).toString('latin1');
  if (!start.startsWith('#!')) return undefined;
  const [line = ''] = start.slice(2).split(/[\r\n]/, 1);
  for (const program of line.replaceAll(options, ' ').trim().split(/\s+/)) {
    const name = nameOf(program);
    const language = byInterpreter.get(name) ?? byInterpreter.get(withoutEnd(name, '-.0123456789'));
    if (language !== undefined || !launchers.has(name)) return language;
  }
  return undefined;
}

/** Returns the name of a program without its folder. */
function nameOf(program: string): string {
  return program
    .slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
    .replace(/\.exe$/i, '')
    .toLowerCase();
}
