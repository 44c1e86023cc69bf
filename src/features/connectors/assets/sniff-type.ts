import { isUtf8 } from 'node:buffer';

/** The type of a file by its content. */
export interface SniffedType {
  /** Media type, for the list of allowed types. */
  readonly type: string;
  readonly extension: string;
}

/** Bytes that files of a type begin with, after `offset`. */
const signatures: readonly (readonly [SniffedType, offset: number, bytes: string])[] = [
  [{ type: 'image/png', extension: 'png' }, 0, '89504e470d0a1a0a'],
  [{ type: 'image/jpeg', extension: 'jpg' }, 0, 'ffd8ff'],
  [{ type: 'image/gif', extension: 'gif' }, 0, hex('GIF8')],
  [{ type: 'image/webp', extension: 'webp' }, 8, hex('WEBP')],
  [{ type: 'image/avif', extension: 'avif' }, 4, hex('ftypavif')],
  [{ type: 'image/heic', extension: 'heic' }, 4, hex('ftypheic')],
  [{ type: 'video/quicktime', extension: 'mov' }, 4, hex('ftypqt')],
  [{ type: 'video/mp4', extension: 'mp4' }, 4, hex('ftyp')],
  [{ type: 'video/webm', extension: 'webm' }, 0, '1a45dfa3'],
  [{ type: 'audio/mpeg', extension: 'mp3' }, 0, hex('ID3')],
  [{ type: 'audio/wav', extension: 'wav' }, 8, hex('WAVE')],
  [{ type: 'application/pdf', extension: 'pdf' }, 0, hex('%PDF-')],
  [{ type: 'application/gzip', extension: 'gz' }, 0, '1f8b'],
  [{ type: 'application/zip', extension: 'zip' }, 0, hex('PK\u0003\u0004')],
];

/** Kinds of text that nothing runs when it is opened. Other text gets the extension `txt`. */
const textExtensions: ReadonlySet<string> = new Set('csv diff json log md patch yaml yml'.split(' '));
/** Documents that are archives inside. */
const zipExtensions: ReadonlySet<string> = new Set('docx odp ods odt pptx xlsx'.split(' '));

/**
 * Returns the type that the content has, whatever a server says. Returns `undefined` for pages and drawings that can
 * contain scripts. @param extension the one of its name, which only tells apart what has the same beginning
 */
export function sniffType(content: Buffer, extension: string): SniffedType | undefined {
  const [found] = signatures.find(([, offset, bytes]) => startsWith(content, offset, bytes)) ?? [];
  if (found?.extension === 'zip' && zipExtensions.has(extension)) return { ...found, extension };
  if (found !== undefined) return found;
  if (content.includes(0) || !isUtf8(content)) return { type: 'application/octet-stream', extension: 'bin' };
  if (markup.test(content.toString('utf8', 0, markupBytes))) return undefined;
  return { type: 'text/plain', extension: textExtensions.has(extension) ? extension : 'txt' };
}

const markupBytes = 4_096;
const markup = /<(?:!doctype html|html|head|body|script|svg|\?xml)\b/iu;

function startsWith(content: Buffer, offset: number, bytes: string): boolean {
  return content.subarray(offset, offset + bytes.length / 2).toString('hex') === bytes;
}

function hex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}
