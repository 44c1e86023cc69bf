import { plainLine } from '../../../mirror/format/plain-text.ts';
import { kindOf, kinds, type MirroredEntity } from '../kinds/kinds.ts';
import { pathOf, type TrackerKind } from '../kinds/tracker-kind.ts';

/** Maximum length of the text of a link, in characters. */
const maxLabelLength = 100;

/** Returns the text of a link to an entity, in which nothing is Markdown. */
export function linkLabelOf(mirrored: MirroredEntity): string {
  const name = kindOf(mirrored).titleOf(mirrored.entity);
  const title = plainLine(name).slice(0, maxLabelLength).toWellFormed().trim();
  const label = title.replaceAll(/[\\`*_[\]<>&!|~]/gu, '\\$&');
  return label === '' ? mirrored.kind : label;
}

/**
 * Returns the name of the entity that an address of the same workspace leads to. @param site an address of the
 * workspace
 */
export function nameAt(address: string, site: string): string | undefined {
  const url = URL.parse(address);
  const own = URL.parse(site);
  if (url === null || own === null || url.origin !== own.origin) return undefined;
  if (workspaceOf(url) !== workspaceOf(own)) return undefined;
  for (const { nameIn } of Object.values<Pick<TrackerKind, 'nameIn'>>(kinds)) {
    const name = nameIn?.(pathOf(address));
    if (name !== undefined) return name;
  }
  return undefined;
}

function workspaceOf({ pathname }: URL): string | undefined {
  return pathname.split('/')[1]?.toLowerCase();
}
