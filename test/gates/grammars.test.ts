import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { languages } from '../../src/backends/languages/port.ts';
import { runGate } from '../support/run/gates.ts';
import { gateNamed, withPlantedTree } from '../support/run/planted-tree.ts';

/** The size that docs/development.md states. */
const maxBytes = 20_000_000;

it('the build ships exactly the grammars that the parse thread loads, within the stated size', async () => {
  await withPlantedTree({}, async (folder) => {
    const { output } = await runGate(gateNamed('build'), folder);
    const grammars = join(folder, 'dist/grammars');
    const files = readdirSync(grammars);
    const loaded = new Set([...languages.values()].map(({ grammar }) => grammar.file));
    expect(files.toSorted(), output).toEqual([...loaded].toSorted());
    const bytes = files.reduce((sum, file) => sum + statSync(join(grammars, file)).size, 0);
    expect(bytes).toBeLessThan(maxBytes);
  });
});
