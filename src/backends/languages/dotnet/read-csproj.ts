import type { ReadManifest } from '../manifests/manifest.ts';
import { xmlElements } from '../manifests/xml-elements.ts';
import { folderOf } from '../modules/paths.ts';

/** Reads a project of .NET. Without `PackageId` the package has the name of the file. */
export const readCsproj: ReadManifest = (text, path) => {
  const found = xmlElements(text);
  const name = (each: string): string | undefined => found.find(({ path: at }) => at.at(-1) === each)?.text;
  const file = path.replace(/^.*\/|\.\w+$/g, '');
  const references = found.filter(({ path: at }) => at.at(-1) === 'PackageReference');
  const asks = references.flatMap(({ attributes, line, path: at }) => {
    const asked = attributes.get('Include');
    const version =
      attributes.get('Version') ??
      found.find(
        (each) => each.line >= line && each.path.at(-1) === 'Version' && each.path.length > at.length,
      )?.text;
    return asked === undefined ? [] : [{ name: asked, version: version ?? '', line }];
  });
  const used = found.flatMap(({ path: at, attributes }) =>
    at.at(-1) === 'Using' ? (attributes.get('Include') ?? []) : [],
  );
  const root = { kind: 'dotnet', within: folderOf(path), name: 'using', folder: '' } as const;
  return {
    provides: name('PackageId') ?? name('AssemblyName') ?? file,
    asks,
    roots: used.map((each) => ({ ...root, places: [each] })),
  };
};
