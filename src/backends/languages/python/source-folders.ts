import type { ModuleRoot } from '../modules/module-roots.ts';
import { folderOf, joinPath } from '../modules/paths.ts';

/** Returns the roots of a project: its folder, and the folders of its packages by name; of all packages without one. */
export function rootsOfProject(
  path: string,
  folders: readonly (readonly [name: string, folder: string])[],
): readonly ModuleRoot[] {
  const around = folderOf(path);
  return [['', ''] as const, ...folders].flatMap(([name, written]): readonly ModuleRoot[] => {
    const folder = joinPath(around, written);
    if (name === '') return [{ kind: 'python', within: '', name: folder, folder, places: [''] }];
    const root = { kind: 'python-package', within: '', folder } as const;
    return [
      { ...root, name, places: [''] },
      { ...root, name: `${name}.*`, places: ['*'] },
    ];
  });
}
