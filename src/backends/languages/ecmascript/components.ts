import type { Language } from '../language.ts';
import { block, markup } from '../lexical/lexical-rule.ts';
import { scriptsOf, scriptsOfAstro } from './script-elements.ts';
import { typescript } from './typescript.ts';

const { interpreters: _, ...script } = { ...typescript, around: markup };

/** The code at the beginning of a component. */
const frontmatter = block(/^---/y, '\n---', { kind: 'code', first: '-' });

/** The formats of components: markup with scripts, which are read as TypeScript. */
export const components: readonly Language[] = [
  { ...script, name: 'Astro', endings: 'astro', codeIn: scriptsOfAstro, around: [frontmatter, ...markup] },
  { ...script, name: 'Svelte', endings: 'svelte', codeIn: scriptsOf },
  { ...script, name: 'Vue', endings: 'vue', codeIn: scriptsOf },
];
