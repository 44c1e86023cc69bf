import type { AskedPackage, LineFinder } from './manifest.ts';
import { tableOf, textOf } from './values.ts';

/** Reads a table of packages with their versions; `package` is the actual name of a renamed one (Cargo). */
export function readTable(packages: unknown, lines: LineFinder): readonly AskedPackage[] {
  return Object.entries(tableOf(packages)).map(([key, value]) => {
    const { version, package: actual } = typeof value === 'string' ? { version: value } : tableOf(value);
    const name = textOf(actual);
    const asked = { name: name ?? key, version: textOf(version) ?? '', line: lines.find(key) };
    return name === undefined ? asked : { ...asked, importedAs: key };
  });
}
