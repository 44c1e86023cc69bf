import type { CompilerConfig, ReadManifest } from '../manifests/manifest.ts';
import { tableOf, textOf, textsOf } from '../manifests/values.ts';
import { folderOf, joinPath } from '../modules/paths.ts';

/** Maximum number of configurations that one extends or references, and of paths that it has. */
const max = { others: 100, extends: 10, paths: 2_000 } as const;

/** Reads `tsconfig.json` or `jsconfig.json`, which may have comments and trailing commas. */
export const readTsconfig: ReadManifest = (text, path) => {
  const read = tableOf(JSON.parse(withoutComments(text)));
  const options = tableOf(read['compilerOptions']);
  const folder = folderOf(path);
  const at = (name: string): string | undefined => {
    const written = textOf(options[name]);
    return written === undefined ? undefined : joinPath(folder, written);
  };
  const inherited = typeof read['extends'] === 'string' ? [read['extends']] : textsOf(read['extends']);
  const references = Array.isArray(read['references']) ? read['references'].slice(0, max.others) : [];
  const compiler: CompilerConfig = {
    extends: inherited.slice(0, max.extends).map((each) => withEnding(fromFolder(folder, each))),
    references: references.flatMap((each) => {
      const written = textOf(tableOf(each)['path']);
      if (written === undefined) return [];
      const place = joinPath(folder, written);
      return [place.endsWith('.json') ? place : joinPath(place, 'tsconfig.json')];
    }),
    baseUrl: at('baseUrl'),
    outDir: at('outDir'),
    rootDir: at('rootDir'),
    paths:
      options['paths'] === undefined
        ? undefined
        : Object.entries(tableOf(options['paths']))
            .slice(0, max.paths)
            .map(([name, places]) => [name, textsOf(places)]),
  };
  return { provides: undefined, asks: [], compiler };
};

/** Returns a path of the repository, or the name of a package as it is. */
function fromFolder(folder: string, written: string): string {
  return written.startsWith('.') ? joinPath(folder, written) : written;
}

function withEnding(path: string): string {
  return path.endsWith('.json') ? path : `${path}.json`;
}

const textOrComment = /"(?:[^"\\]|\\[^])*"?|\/\/.*|\/\*(?:[^]*?\*\/|[^]*)/g;
const textOrComma = /"(?:[^"\\]|\\[^])*"?|,(?=\s*[}\]])/g;

/** Returns JSON without comments and trailing commas. */
function withoutComments(text: string): string {
  const json = text.replaceAll(textOrComment, (found) => (found.startsWith('"') ? found : ' '));
  return json.replaceAll(textOrComma, (found) => (found === ',' ? '' : found));
}
