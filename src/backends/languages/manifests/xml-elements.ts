/** An element of a manifest. */
export interface XmlElement {
  /** The names of the elements around it and its own. */
  readonly path: readonly string[];
  readonly attributes: ReadonlyMap<string, string>;
  /** The text before its first child or its end. */
  readonly text: string;
  readonly line: number;
}

/** Maximum number of elements, and of elements around one. */
const max = { elements: 20_000, depth: 50 } as const;

/**
 * Returns the elements of a manifest in their order. Not a parser of XML: it expands no entities and reads no
 * declarations, so that nothing of the text can make it read or repeat more than the text.
 */
export function xmlElements(text: string): readonly XmlElement[] {
  const found: XmlElement[] = [];
  const open: string[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf('<'); at >= 0 && found.length < max.elements; at = text.indexOf('<', at + 1)) {
    const comment = text.startsWith('<!--', at);
    const end = comment ? text.indexOf('-->', at) : text.indexOf('>', at);
    if (end < 0) break;
    for (; counted < at; counted++) if (text[counted] === '\n') line += 1;
    if (!comment) {
      const tag = text.slice(at + 1, Math.min(end, at + 1_000));
      const [, name] = /^([\w.:-]{1,200})/.exec(tag) ?? [];
      if (tag.startsWith('/')) {
        const place = open.lastIndexOf(tag.slice(1).trim());
        if (place >= 0) open.length = place;
      } else if (name !== undefined && open.length < max.depth) {
        const next = text.indexOf('<', end);
        const content = text.slice(end + 1, Math.min(next < 0 ? text.length : next, end + 500)).trim();
        found.push({ path: [...open, name], attributes: attributesOf(tag), text: content, line });
        if (text[end - 1] !== '/') open.push(name);
      }
    }
    at = end;
  }
  return found;
}

function attributesOf(tag: string): ReadonlyMap<string, string> {
  const found = tag.matchAll(/\s([\w.:-]{1,100})="([^"]{0,300})"/g);
  return new Map([...found].map(([, name = '', value = '']) => [name, value]));
}
