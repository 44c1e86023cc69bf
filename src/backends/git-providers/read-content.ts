import { GitHostError } from './port.ts';

/** Maximum size of a file that is read through the API. */
const maxFileBytes = 1024 * 1024;

interface ContentAnswer {
  readonly type: string;
  readonly size: number;
  readonly encoding?: string | null | undefined;
  readonly content?: string | null | undefined;
}

/** Decodes a file; `undefined` for anything but a file. @throws GitHostError if it is too large */
export function decodeFile(
  host: string,
  subject: string,
  answer: ContentAnswer | undefined,
): { readonly content: Buffer } | undefined {
  if (answer?.type !== 'file') return undefined;
  if (answer.size > maxFileBytes) {
    throw new GitHostError(host, 'invalid', `The size of ${subject} is over 1 MiB. Make it smaller.`);
  }
  if (answer.encoding !== 'base64' || typeof answer.content !== 'string') {
    throw new GitHostError(host, 'protocol', `${host} sent no content for ${subject}.`);
  }
  return { content: Buffer.from(answer.content, 'base64') };
}
