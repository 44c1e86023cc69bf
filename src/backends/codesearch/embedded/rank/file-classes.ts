import { type FileClass, fileClasses, fileClassOf } from '../../file-class.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { Segment } from '../read/segment.ts';

/** The classes of the documents that were asked for, as their index in `fileClasses` plus one. */
const known = new WeakMap<Segment, Uint8Array>();

/** Returns the class of a document by its current path. Remembers it, because questions ask for thousands of them. */
export function classOfDocument({ segment, renamed }: LiveSegment, document: number): FileClass {
  const { documents } = segment;
  const now = renamed.get(document);
  if (now !== undefined) return fileClassOf(now, documents.language(document));
  let classes = known.get(segment);
  if (classes === undefined) known.set(segment, (classes = new Uint8Array(documents.count)));
  const stored = fileClasses[classes[document]! - 1];
  if (stored !== undefined) return stored;
  const found = fileClassOf(documents.path(document), documents.language(document));
  classes[document] = fileClasses.indexOf(found) + 1;
  return found;
}
