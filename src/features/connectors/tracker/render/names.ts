import { plainLine } from '../../../mirror/format/plain-text.ts';
import type { MirroredEntity } from '../sync/scope-facts.ts';

/** Maximum length of the text of a link, in characters. */
const maxLabelLength = 100;

/** Returns what people call an entity: `ENG-12`, or its title. */
export function titleOf({ kind, entity }: MirroredEntity): string {
  switch (kind) {
    case 'issue':
      return entity.identifier;
    case 'team':
      return entity.key;
    case 'document':
      return entity.title;
    case 'cycle':
      return `${entity.team.key}/${entity.number}`;
    case 'project-update':
    case 'initiative-update':
      return entity.createdAt.slice(0, 10);
    default:
      return entity.name;
  }
}

/** Returns the text of a link to an entity, in which nothing is Markdown. */
export function linkLabelOf(mirrored: MirroredEntity): string {
  const title = plainLine(titleOf(mirrored)).slice(0, maxLabelLength).toWellFormed().trim();
  const label = title.replaceAll(/[\\`*_[\]<>&!|~]/gu, '\\$&');
  return label === '' ? mirrored.kind : label;
}

/** Returns the names under which addresses lead to an entity, the current one first. */
export function namesOf({ kind, entity }: MirroredEntity): readonly string[] {
  switch (kind) {
    case 'issue':
      return [entity.identifier, ...entity.previousIdentifiers].map((name) => `issue ${name.toUpperCase()}`);
    case 'document':
    case 'project':
    case 'initiative':
    case 'customer':
      return slugNames(kind, entity);
    case 'cycle':
      return [`cycle ${entity.team.key.toUpperCase()}/${entity.number}`];
    default:
      return [];
  }
}

/** Returns the name by the slug, and the one in the entity's own address if that is another one. */
function slugNames(
  kind: string,
  { slugId, url }: { readonly slugId: string; readonly url: string },
): readonly string[] {
  const name = `${kind} ${slugId.toLowerCase()}`;
  const own = nameAt(url, url);
  return own === undefined || own === name || !own.startsWith(`${kind} `) ? [name] : [name, own];
}

/**
 * Returns the name of the entity that an address of the same workspace leads to. @param site an address of the
 * workspace
 */
export function nameAt(address: string, site: string): string | undefined {
  const url = URL.parse(address);
  const own = URL.parse(site);
  if (url === null || own === null || url.origin !== own.origin) return undefined;
  return workspaceOf(url) === workspaceOf(own) ? nameIn(url) : undefined;
}

function workspaceOf({ pathname }: URL): string | undefined {
  return pathname.split('/')[1]?.toLowerCase();
}

/**
 * Returns the name in the path of an address: `/acme/issue/ENG-12/title`, `/acme/project/title-4f2a9c0d1e2b/overview`,
 * `/acme/team/ENG/cycle/7`. Slugs are the last word.
 */
function nameIn({ pathname }: URL): string | undefined {
  const [, , kind = '', key = '', list, number] = pathname.split('/');
  if (key === '') return undefined;
  if (kind === 'issue') return `issue ${key.toUpperCase()}`;
  if (slugged.has(kind)) return `${kind} ${key.slice(key.lastIndexOf('-') + 1).toLowerCase()}`;
  const isCycle = kind === 'team' && list === 'cycle' && number !== undefined && /^\d+$/u.test(number);
  return isCycle ? `cycle ${key.toUpperCase()}/${number}` : undefined;
}

const slugged: ReadonlySet<string> = new Set(['document', 'project', 'initiative', 'customer']);
