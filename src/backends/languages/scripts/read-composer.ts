import { LineFinder, type ReadManifest } from '../manifests/manifest.ts';
import { tableOf, textOf } from '../manifests/values.ts';

export const readComposer: ReadManifest = (text) => {
  const read = tableOf(JSON.parse(text));
  const lines = new LineFinder(text);
  const asks = ['require', 'require-dev'].flatMap((section) => {
    lines.startAt(`"${section}"`);
    return Object.entries(tableOf(read[section]))
      .filter(([each]) => each.includes('/'))
      .map(([each, version]) => ({
        name: each,
        version: textOf(version) ?? '',
        line: lines.find(JSON.stringify(each)),
        ...(section === 'require-dev' ? ({ isForDevelopment: true } as const) : {}),
      }));
  });
  return { provides: textOf(read['name']), asks };
};
