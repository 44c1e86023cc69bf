import type { AskedPackage, ReadManifest } from '../manifests/manifest.ts';
import { type XmlElement, xmlElements } from '../manifests/xml-elements.ts';

/** Reads `pom.xml`. A property such as `${acme.version}` is replaced by its value. */
export const readPom: ReadManifest = (text) => {
  const found = xmlElements(text);
  const properties = new Map(
    found
      .filter(({ path }) => path.length === 3 && path[1] === 'properties')
      .map(({ path, text: value }) => [path[2]!, value]),
  );
  const own = (name: string): string | undefined =>
    valueAt(found, ['project', name]) ?? valueAt(found, ['project', 'parent', name]);
  const [group = '', artifact, version = ''] = [own('groupId'), own('artifactId'), own('version')];
  properties.set('project.groupId', group).set('project.version', version);
  const valueOf = (written: string | undefined): string =>
    (written ?? '').replaceAll(
      /\$\{([\w.-]{1,100})\}/g,
      (whole, name: string) => properties.get(name) ?? whole,
    );
  const asks = groupsOf(found, 'dependency').map(
    ({ line, children }): AskedPackage => ({
      name: `${valueOf(children.get('groupId'))}:${valueOf(children.get('artifactId'))}`,
      version: valueOf(children.get('version')),
      line,
    }),
  );
  return { provides: artifact === undefined ? undefined : `${valueOf(group)}:${artifact}`, asks };
};

function valueAt(found: readonly XmlElement[], path: readonly string[]): string | undefined {
  return found.find(
    (each) => each.path.length === path.length && path.every((name, at) => each.path[at] === name),
  )?.text;
}

interface XmlGroup {
  readonly line: number;
  readonly children: ReadonlyMap<string, string>;
}

/** Returns the elements with a name, with the texts of their children. */
function groupsOf(found: readonly XmlElement[], name: string): readonly XmlGroup[] {
  const groups: { line: number; children: Map<string, string> }[] = [];
  for (const { path, text, line } of found) {
    if (path.at(-1) === name) groups.push({ line, children: new Map() });
    else if (path.at(-2) === name) groups.at(-1)?.children.set(path.at(-1)!, text);
  }
  return groups;
}
