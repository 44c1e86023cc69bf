const lists =
  // bounded: at most 200 characters (the text of a type is cut)
  /^(?:(?:readonly\s+)?(.*)\[\]|(?:\w+\.)?(?:Readonly)?(?:Array|Set|List|Iterable|Iterator|Sequence|Collection|list|set|tuple|frozenset|Vec)[<[](.*)[>\]]|\[\](.*))$/s;

/** Returns the type of what a list has, if that is a plain name; otherwise an empty text. */
export function elementType(type: string): string {
  const [, before, inside, after] = lists.exec(type.trim()) ?? [];
  const element = before ?? inside ?? after;
  return element === undefined ? '' : plainType(element.replace(/,\s*\.\.\.$/, ''));
}

/** Types that hold exactly one value, whose members are reached through it. */
const wrapped = /^(?:Optional|Readonly|Required|Box|Rc|Arc|Final|ClassVar|Annotated)[<[](.*)[>\]]$/s;

/**
 * Returns the name of a type without type arguments, pointers and the absent value, or a call of a plain name; empty
 * for an array or another expression.
 */
export function plainType(type: string): string {
  if (type.endsWith('()')) return type.length > 2 ? type : '';
  const written = type.trim().replace(/^(["'])(.*)\1$/s, '$2');
  const present = written.replaceAll(
    // bounded: at most 200 characters (the text of a type is cut)
    /\s*\|\s*(?:undefined|null|None)\b|\b(?:undefined|null|None)\s*\|\s*/g,
    '',
  );
  // bounded: at most 200 characters (the text of a type is cut)
  const value = present.trim().replace(/^(?:[*&?]|mut\s|const\s|dyn\s|impl\s|'\w+\s)+|[?*&\s]+$/g, '');
  const inner = wrapped.exec(value)?.[1];
  if (inner !== undefined) return plainType(inner.split(',', 1)[0]!);
  const bare = withoutArguments(value).replaceAll(/::|\\/g, '.').replace(/^\./, '');
  return /^[\p{L}_][\w.\u0080-\uffff]*$/u.test(bare) ? bare : '';
}

/** Removes type arguments: `<…>` or `[…]` at the end, but not the `[]` of an array. */
function withoutArguments(type: string): string {
  const [open, shortest] = type.endsWith('>') ? ['<', 2] : ['[', 3];
  const at = open === '<' || type.endsWith(']') ? type.indexOf(open) : -1;
  return at < 0 || type.length - at < shortest ? type : type.slice(0, at);
}

/** Types whose value a caller waits for or unpacks. */
const waitedFor =
  /^(?:Promise|Awaitable|Coroutine|Future|Task|ValueTask|Option|Optional|(?:\w+::)?Result)[<[](.*)[>\]]$/s;

/** Returns the name of the first result of a function, without what it is wrapped in; empty for another expression. */
export function firstResult(written: string): string {
  // Several results of Go, which may have names.
  const first = written.startsWith('(')
    ? (written.slice(1).split(/[,)]/, 1)[0]!.trim().split(/\s+/).at(-1) ?? '')
    : written;
  return plainType(waitedFor.exec(first)?.[1]?.split(',', 1)[0] ?? first);
}

/** Removes type arguments in angle brackets, wherever they are. */
export function withoutTypeArguments(written: string): string {
  let depth = 0;
  let bare = '';
  for (const letter of written.replaceAll('=>', '')) {
    if (letter === '<') depth++;
    else if (letter === '>') depth--;
    else if (depth === 0) bare += letter;
  }
  return bare;
}
