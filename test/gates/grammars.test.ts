import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { languages } from '../../src/backends/languages/port.ts';
import { runGate } from '../support/run/gates.ts';
import { gateNamed, withPlantedTree } from '../support/run/planted-tree.ts';

/** The sizes that docs/development.md states: of each grammar, and of all of them in the packed package. */
const maxBytes = { unpacked: 6_000_000, packed: 6_000_000 };

it('the build ships exactly the grammars that the parse thread loads, within the stated sizes', async () => {
  await withPlantedTree({}, async (folder) => {
    const { output } = await runGate(gateNamed('build'), folder);
    const grammars = join(folder, 'dist/grammars');
    const files = readdirSync(grammars);
    const loaded = new Set([...languages.values()].map(({ grammar }) => grammar.file));
    expect(files.toSorted(), output).toEqual([...loaded].toSorted());
    const contents = files.map((file) => readFileSync(join(grammars, file)));
    expect(Math.max(...contents.map(({ length }) => length))).toBeLessThan(maxBytes.unpacked);
    expect(gzipSync(Buffer.concat(contents)).length).toBeLessThan(maxBytes.packed);
  });
});
