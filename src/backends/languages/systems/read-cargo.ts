import { parse } from 'smol-toml';
import { LineFinder, type ReadManifest } from '../manifests/manifest.ts';
import { readTable } from '../manifests/read-table.ts';
import { tableOf, textOf } from '../manifests/values.ts';
import type { ModuleRoot } from '../modules/module-roots.ts';
import { folderOf, joinPath } from '../modules/paths.ts';

const dependencySections = ['dependencies', 'dev-dependencies', 'build-dependencies'] as const;

const library = 'src/lib.rs';

/** Reads `Cargo.toml`: the dependencies of the package, of its targets and of the workspace. */
export const readCargo: ReadManifest = (text, path) => {
  const cargo = tableOf(parse(text));
  const folder = folderOf(path);
  const lines = new LineFinder(text);
  const sections = [cargo, cargo['workspace'], ...Object.values(tableOf(cargo['target']))].flatMap((each) =>
    dependencySections.map((section) => tableOf(each)[section]),
  );
  const provides = textOf(tableOf(cargo['package'])['name']);
  const lib = tableOf(cargo['lib']);
  const place = textOf(lib['path']) ?? library;
  const own = provides === undefined ? [] : [rootOf(textOf(lib['name']) ?? provides, '', folder, place)];
  return {
    provides,
    asks: sections.flatMap((each, index) => {
      const isForDevelopment = dependencySections[index % dependencySections.length] === 'dev-dependencies';
      return readTable(each, lines).map((one) => (isForDevelopment ? { ...one, isForDevelopment } : one));
    }),
    roots: [...own, ...sections.flatMap((each) => rootsOf(each, folder))],
  };
};

/** Returns the roots of dependencies in the repository, which may have new names. */
function rootsOf(dependencies: unknown, folder: string): readonly ModuleRoot[] {
  return Object.entries(tableOf(dependencies)).flatMap(([name, options]) => {
    const path = textOf(tableOf(options)['path']);
    return path === undefined ? [] : [rootOf(name, folder, joinPath(folder, path), library)];
  });
}

function rootOf(name: string, within: string, folder: string, place: string): ModuleRoot {
  return { kind: 'cargo', within, name: name.replaceAll('-', '_'), folder, places: [place] };
}
