import { z } from 'zod';
import { LineFinder, type ReadManifest } from './manifest.ts';

const versions = z.record(z.string(), z.unknown()).optional().catch(undefined);
const composer = z.object({
  name: z.string().optional().catch(undefined),
  require: versions,
  'require-dev': versions,
});

export const readComposer: ReadManifest = (text) => {
  const { name, ...sections } = composer.parse(JSON.parse(text));
  const lines = new LineFinder(text);
  const asks = (['require', 'require-dev'] as const).flatMap((section) => {
    lines.startAt(`"${section}"`);
    return Object.entries(sections[section] ?? {})
      .filter(([each]) => each.includes('/'))
      .map(([each, version]) => ({
        name: each,
        version: typeof version === 'string' ? version : '',
        line: lines.find(JSON.stringify(each)),
      }));
  });
  return { provides: name, asks };
};
