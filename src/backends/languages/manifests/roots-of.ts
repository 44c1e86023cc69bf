import { rootsOfPackages } from '../ecmascript/npm-roots.ts';
import { rootsOfCompilers } from '../ecmascript/tsconfig-roots.ts';
import { ModuleRoots } from '../modules/module-roots.ts';
import type { Manifest } from './manifest.ts';

/** Returns the names of modules that the manifests of a repository give to its places. */
export function rootsOf(manifests: ReadonlyMap<string, Manifest>): ModuleRoots {
  const roots = [...manifests.values()].flatMap((manifest) => manifest.roots ?? []);
  return new ModuleRoots([...roots, ...rootsOfPackages(manifests), ...rootsOfCompilers(manifests)]);
}
