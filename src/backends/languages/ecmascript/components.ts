import type { Language } from '../language.ts';
import { scriptsOf, scriptsOfAstro } from './script-elements.ts';
import { typescript } from './typescript.ts';

const { interpreters: _, ...script } = typescript;

/** The formats of components: markup with scripts, which are read as TypeScript. */
export const components: readonly Language[] = [
  { ...script, name: 'Astro', endings: 'astro', codeIn: scriptsOfAstro },
  { ...script, name: 'Svelte', endings: 'svelte', codeIn: scriptsOf },
  { ...script, name: 'Vue', endings: 'vue', codeIn: scriptsOf },
];
